"""`tablectl check-config`."""

import os
from pathlib import Path

from click.testing import CliRunner

from tablectl.cli import main
from tests.support.config import DEMO, GOLDEN


def check(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["check-config", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_check_config_of_good_file_says_what_it_comes_to() -> None:
    code, out, err = check(str(DEMO), "--set", "paths.state=/srv/q", "--set", "q_poker.places=8")
    assert (code, err) == (os.EX_OK, "")
    lines = out.splitlines()
    assert lines[0].startswith("notice: table: ")
    assert lines[1:-1] == [
        f"{DEMO}: ok",
        "  table    demo/q-demo, screen in en",
        "  game     q_poker (89/2004), 8 places, dealt from the shoe, stakes 50.00 to 5000.00 in steps of 50.00",
        "  device   shoe: shoe, angel_eye, serial:shoe at 4800, simulated",
        "  device   shuffler: shuffler, link, serial:shuffler at 115200, simulated",
        "  broker   mqtt://127.0.0.1:1883, not encrypted",
        "  console  http://127.0.0.1:0/",
        "  people   ana (dealer), rui (supervisor), mei (surveillance)",
        "  state    /srv/q",
    ]
    assert lines[-1].startswith("  hash     ")


def test_check_config_prints_every_problem_and_exits_78() -> None:
    broken = GOLDEN / "many-at-once.toml"
    code, out, err = check(str(broken))
    expected = broken.with_suffix(".txt").read_text(encoding="utf-8").replace("many-at-once.toml", str(broken))
    assert (code, out, err) == (os.EX_CONFIG, "", expected)


def test_check_config_of_a_missing_file_exits_66(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    assert check(str(missing)) == (os.EX_NOINPUT, "", f"{missing}: No such file or directory\n")


def test_check_config_wants_a_key_and_a_value_to_set() -> None:
    code, _, err = check(str(DEMO), "--set", "places")
    assert code == 2
    assert "'places' isn't KEY=VALUE" in err


def test_check_config_lists_subscribers_and_their_rights() -> None:
    rights = ("subscribers.floor.may=['replay','acknowledge']", "subscribers.floor.reads=['round']")
    changes = [word for each in (*rights, "subscribers.floor.role=surveillance") for word in ("--set", each)]
    _, out, _ = check(str(DEMO), *changes)
    line = "floor may ask for replay, acknowledge; reads round; acknowledges as surveillance"
    assert f"  subscriber  {line}" in out.splitlines()
