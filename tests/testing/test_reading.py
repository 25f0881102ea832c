"""Whatever is wrong with a scenario's file is told with its line and what to do."""

from pathlib import Path

import pytest

from tablectl.testing.scenarios.parser import ScenarioError, read_scenario

HEAD = 'title = "a"\ngame = "q_poker"\n'
WHEEL = 'title = "a"\ngame = "wheel_of_fortune"\n'
FOOTBALL = 'title = "a"\ngame = "football_poker"\n'
DICE = 'title = "a"\ngame = "chinese_dice"\n'

TOLD = {
    f"{HEAD}steps = [\n  {{shoe = draw}},\n]": """\
F:4: this isn't TOML: Invalid value: {shoe = draw},
  texts stand in quotes, lists in [ ], a step in { } with a comma behind it""",
    f'{HEAD}steps = [\n  {{ask = "open_round"}},\n  {{shoe = "drew", cards = "As"}},\n]': """\
F:5: the shoe can't 'drew'
  did you mean `draw`?""",
    f'{HEAD}steps = [\n  {{sho = "draw"}},\n  {{aks = "open_round"}},\n]': """\
F:4: no step begins with `sho`
  did you mean `shoe`?
F:5: no step begins with `aks`
  did you mean `ask`?""",
    f"{HEAD}steps = [{{}}]": """\
F:3: this step is empty
  it begins with one of: shoe, shuffler, draw, display, wheel, dice, buzzer, ask, amend, unplug, plug, fault, clear, \
time, restart, see, never, phase, state, faults, money""",
    f'{HEAD}steps = [\n  # the wheel isn\'t here\n  {{wheel = "spin"}},\n]': """\
F:5: this table has no device 'wheel'
  known: shoe, shuffler""",
    f'{HEAD}steps = [\n  {{unplug = "shoo"}},\n]': """\
F:4: this table has no device 'shoo'
  did you mean `shoe`?""",
    f'{HEAD}steps = [\n  {{shoe = "draw"}},\n]': """\
F:4: shoe draw: `cards` is missing: write cards as a text with blanks between them: "As Kd 2c\"""",
    f'{HEAD}steps = [\n  {{shoe = "draw", cards = "As 1d"}},\n]': """\
F:4: shoe draw: `cards`: 1d is no card: a rank of 23456789TJQKA and a suit of shdc, as in Td""",
    f'{HEAD}steps = [\n  {{shuffler = "deliver", count = "13"}},\n]': """\
F:4: shuffler deliver: `count`: write a whole number of cards, without quotes, from 1 to 52""",
    f'{HEAD}steps = [\n  {{shuffler = "deliver", count = 13, speed = 2}},\n]': """\
F:4: shuffler deliver: there is no field `speed` here; known: count, times""",
    f'{FOOTBALL}steps = [\n  {{draw = "will_be", series = "middle", combination = 9}},\n]': """\
F:4: draw will_be: `series`: write one of: upper, lower
F:4: draw will_be: `combination`: write a whole number of the combination, without quotes, from 1 to 8""",
    f'{DICE}steps = [\n  {{dice = "throw", faces = [1, 2, 7]}},\n]': """\
F:4: dice throw: `faces`: write the faces as a list of numbers from 1 to 6 (0: not readable), as [1, 2, 3]""",
    f'{HEAD}steps = [\n  {{ask = "bet", place = 1, bettor = "ann", bet = "versus_dealer", stake = 100}},\n]': """\
F:4: bet: `stake`: Value error, an amount is text such as "100" or "0.50", at most 15 characters
  its fields: place, bettor, bet, stake""",
    f'{HEAD}steps = [\n  {{ask = "open_rond"}},\n]': """\
F:4: nobody can ask for 'open_rond'
  did you mean `open_round`?""",
    f'{HEAD}steps = [\n  {{ask = "open_round", by = "boss"}},\n]': """\
F:4: nobody at the table is 'boss'
  known: dealer, supervisor, technician""",
    f'{HEAD}steps = [\n  {{see = "round.setled"}},\n]': """\
F:4: no event is called 'round.setled'
  did you mean `round.settled`?""",
    f'{HEAD}steps = [\n  {{phase = "spinning"}},\n]': """\
F:4: q_poker has no phase 'spinning'
  did you mean `opening`?""",
    f'{HEAD}steps = [\n  {{amend = "x", by = "boss", colour = 1, round = "1"}},\n'
    '  {amend = "x", changes = [{the = 2}]},\n]': """\
F:4: an amendment has no `colour`
  known: changes, by, second, round, dry_run, gives, refused
F:4: `round` can't be '1'
  `round` is a number
F:4: nobody at the table is 'boss'
  known: dealer, supervisor, technician
F:4: there are no changes
  write {the = "bet", nth = 2, to = {stake = "50"}}, {the = …, struck = true} or {after = …, verb = …}
F:5: this is no change: {'the': 2}
  write {the = "bet", nth = 2, to = {stake = "50"}}, {the = …, struck = true} or {after = …, verb = …}""",
    f"{HEAD}steps = [\n  {{money = {{ann = 100}}, of = 1}},\n]": """\
F:4: `money` isn't a table of texts
  write money = {ann = "100.00", bob = "-50.00"}
F:4: of `money` only the `round` can be said
  write round = 1 for the first one""",
    'title = "a"\nbase = "b"\nsteps = [{ask = "open_round"}]': """\
F:2: it can't go on from 'b'
  `base` names another file beside this one, in place of `game`""",
    f'{HEAD}steps = [\n  {{time = "5 min"}},\n]': """\
F:4: time is '5 min'
  write time = "up": the running clock comes to its end""",
    f'{HEAD}steps = [\n  {{restart = "shoe"}},\n]': """\
F:4: restart is 'shoe'
  write restart = "table", and after = 310 where it is away that many seconds""",
    f"{HEAD}steps = [\n  {{fault = 308}},\n]": """\
F:4: the device is missing
  write {fault = 308, device = "…"}""",
    f'{HEAD}steps = [\n  {{fault = 9, device = "shoe"}},\n]': """\
F:4: the catalogue has no fault 9
  `tablectl sim faults` lists them""",
    f'{HEAD}steps = [\n  {{fault = 308, device = "shoe"}},\n]': """\
F:4: fault 308 can't come from a shoe, only from: shuffler
  `tablectl sim faults` lists which device can have which""",
    f'{HEAD}steps = [\n  {{faults = 101}},\n  {{state = "ready"}},\n]': """\
F:4: `faults` isn't a list of numbers
  write faults = [101], or [] for none
F:5: `state` isn't a table
  write state = {pack = "ready"}""",
    'title = "a"\ngame = "poker"\nsteps = [{ask = "open_round"}]': """\
F:2: there is no game 'poker'
  did you mean `q_poker`?""",
    'game = "q_poker"\nsteps = [{ask = "open_round"}]': """\
F:1: the title is missing
  begin with title = "what is shown\"""",
    f"{HEAD}step = []": """\
F:3: there is no key `step`
  did you mean `steps`?
F:1: there are no steps
  write steps = [{ask = "open_round"}, …]""",
    f'{HEAD}set = {{"q_poker.places" = 99}}\nsteps = [{{ask = "open_round"}}]': """\
F:3: the table can't be set up like this: q_poker.places: at most 16 is expected""",
    f'{HEAD}[[steps]]\nask = "open_round"\n\n[[steps]]\nask = "opn_round"\n': """\
F:6: nobody can ask for 'opn_round'
  did you mean `open_round`?""",
}
"""What a person reads of each wrong file; F stands for the file."""


@pytest.mark.parametrize("text", TOLD, ids=lambda text: TOLD[text].partition(": ")[2].partition("\n")[0][:50])
def test_problems_are_reported_with_line_and_remedy(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ScenarioError) as raised:
        read_scenario(file)
    assert str(raised.value).replace(str(file), "F") == TOLD[text]


def test_a_file_that_is_not_utf_8_says_so(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_bytes(b'title = "\xff"\n')
    with pytest.raises(ScenarioError, match=r"wrong\.toml:1: this isn't UTF-8: byte 9\n  save it as UTF-8"):
        read_scenario(file)


def test_each_step_knows_its_line_whatever_stands_between(tmp_path: Path) -> None:
    file = tmp_path / "right.toml"
    steps = '[ # first }\n  {ask = "open_round"}, {phase = "idle"},\n\n  {state = {note = "a } ] in a text"}},\n]\n'
    file.write_text(f"{HEAD}steps = {steps}", "utf-8")
    assert [step.line for step in read_scenario(file).steps] == [4, 4, 6]
