"""What goes wrong at a table is declared on the page in a few touches, under the article that the page names."""

import pytest
from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, Table
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import box, declare, draw, every_card, pack, recorded, say, settlement, spun
from tests.pages.support_stages import at_stage
from tests.support.long import first, turn


async def q_poker_round(table: Table) -> None:
    """A round with one bet, nothing dealt."""
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="A", bet="versus_dealer", stake="100")


async def test_q_poker_goes_on_after_what_the_law_lets_pass(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_round(table)
    await draw(table, pack("As"))
    await declare(dealer, "misplace_card", "dealer")
    assert await declare(dealer, "mend_card") == await recorded(table) == "11(1)"
    assert await declare(dealer, "expose_card", 1, "#1", None) == await recorded(table) == "11(2)"
    await draw(table, pack("Kd 2c"), 1)
    await declare(dealer, "misplace_card", 5)
    await draw(table, pack("2h"), 3)
    assert await recorded(table) == "11(4)"
    await table.bench.unplug("shoe")
    await dealer.device_is("shoe", "bad")
    await table.bench.plug_in("shoe")
    await dealer.device_is("shoe", "good")
    await declare(dealer, "count_cards", "#4")
    assert await declare(dealer, "report_cards_held_away", 1) == await recorded(table) == "6(3)"
    await draw(table, pack("Qs Qd 7h"), 4)
    await dealer.at(1, "open_hand")
    assert await declare(dealer, "declare_irregularity", "did_not_decide", 1) == "rule of the house"
    assert await recorded(table) == "table"
    await dealer.decide(1, "play")
    await dealer.at("dealer", "open_hand")
    assert (await settlement(table))["status"] == "settled"


@pytest.mark.parametrize(
    ("cards", "declared"),
    [
        ("As", ("declare_misdeal", "dealer")),
        ("As Kd", ("expose_card", "dealer", "#1", None)),
        ("As Kd", ("declare_irregularity", "foreign_card", 1)),
    ],
    ids=["misdeal", "dealers-card-exposed", "foreign-card"],
)
async def test_q_poker_is_void_where_the_law_says_so(
    open_table: OpenTable, screens: Screens, cards: str, declared: tuple[object, ...]
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_round(table)
    await draw(table, pack(cards))
    verb, *answers = declared
    shown = await declare(dealer, str(verb), *answers)
    (void,) = await table.events("round.void")
    assert void["data"]["article"] == shown
    await expect(dealer.page.locator(".result-void")).to_contain_text(f"art. {shown}")
    await expect(dealer.page.locator(".result-void .payment")).to_contain_text("100")


async def test_a_shuffler_that_fails_voids_the_round(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.tap("[data-verb=open_round]:has-text('shuffler')")
    await dealer.bet(1, "A", "versus_dealer", ["50"])
    await table.until("the shuffled pack", lambda now: now["round"]["pack"] == "ready")
    table.bench.shuffler.deliver_packet(3)
    await dealer.until_phase("dealing")
    assert await declare(dealer, "declare_malfunction") == "11(5)"
    assert (await table.events("round.void"))[0]["data"]["article"] == "11(5)"


async def test_a_dealer_voids_a_round_with_the_supervisors_word(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_round(table)
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("void_round")
    await dealer.tap(".form .choices button >> nth=1")
    sent: list[str] = []
    dealer.page.on("request", lambda request: sent.append(request.url))
    await dealer.sign("rui", "9999")
    await expect(dealer.notice()).to_contain_text("second person's name or PIN is wrong")
    assert await table.events("round.void") == []
    await expect(dealer.page.locator(".pin [type=submit]")).to_be_focused()
    await dealer.page.keyboard.press("Enter")
    await dealer.sign("rui", PINS["rui"])
    await dealer.until_phase("idle")
    assert [url.endswith("/void_round") for url in sent].count(True) == 2
    (void,) = await table.events("round.void")
    assert (void["data"]["by"], void["data"]["reason"]) == ("ana, rui", "The table was disturbed")


async def test_a_supervisor_voids_a_round_alone(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    supervisor = await dealer_at(table, screens, "rui")
    await q_poker_round(table)
    await supervisor.tap("[data-tab=irregular]")
    await supervisor.do("void_round")
    await supervisor.tap(".form .choices button >> nth=0")
    await supervisor.confirm()
    await supervisor.until_phase("idle")
    assert (await table.events("round.void"))[0]["data"]["by"] == "rui"


async def test_a_round_that_is_over_is_corrected_by_two_persons(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_round(table)
    await draw(table, pack("Ks Qh Qd 7h Kh 2c"))
    await dealer.at(1, "open_hand")
    await dealer.decide(1, "play")
    await dealer.at("dealer", "open_hand")
    await dealer.until_phase("paying")
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("correct_round")
    await dealer.tap(".form .choices button >> nth=0")
    await dealer.tap(".form .choices button >> nth=2")
    await dealer.choose("A")
    await dealer.tap(".form [data-chip='100']")
    await dealer.choose("+")
    await dealer.ok()
    await dealer.sign("rui", PINS["rui"])
    await expect(dealer.page.locator(".form")).to_have_count(0)
    (override,) = await table.events("audit.override")
    assert override["data"]["changes"] == [{"bettor": "A", "amount": "100.00"}]


EVERY = pytest.mark.parametrize("every", first([False, True]), ids=["some", "every"])
"""Whether each kind is declared at the page, or those whose turn it is."""


async def declare_every_kind(
    table: Table, dealer: Dealer, place: int, skip: frozenset[str] = frozenset(), *, every: bool
) -> None:
    """Each kind that is noted, at a place; the layout names the article under which it is recorded, and so the page.

    Args:
        every: whether each is declared at the page, or one with a place and one without, the others past it.
    """
    layout = await (await dealer.page.request.get(f"{table.url}/v1/layout")).json()
    more = {one["kind"] for one in layout["irregularities"] if one["kind"].startswith("did_not_")} | {"foreign_card"}
    kinds = [one for one in layout["irregularities"] if one["kind"] not in skip | more]
    assert kinds
    with_place, without = ([one for one in kinds if ("place" in one["needs"]) is needed] for needed in (True, False))
    touched = kinds if every else [each[turn(len(each))] for each in (with_place, without) if each]
    for kind in touched:
        answers = [place] if "place" in kind["needs"] else []
        assert await declare(dealer, "declare_irregularity", kind["kind"], *answers) == await recorded(table)
    for kind in [one for one in kinds if one not in touched]:
        at = {"place": place} if "place" in kind["needs"] else {}
        await table.ask("declare_irregularity", kind=kind["kind"], **at)
        assert await recorded(table) == kind["article"]
    await dealer.caught_up()


@EVERY
async def test_irregularities_of_the_wheel_are_declared_in_a_few_touches(
    open_table: OpenTable, screens: Screens, every: bool
) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await table.ask("open_round")
    await table.ask("bet", place=4, bettor="A", bet="symbol_1", stake="100")
    await table.ask("close_betting")
    await declare_every_kind(table, dealer, 4, every=every)
    await spun(table)
    await dealer.until_phase("stopped")
    shown = await declare(dealer, "invalidate_spin", "interference")
    await dealer.sign("rui", PINS["rui"])
    await dealer.until_phase("closed")
    assert await recorded(table) == shown


@EVERY
async def test_irregularities_of_chinese_dice_are_declared_in_a_few_touches(
    open_table: OpenTable, screens: Screens, every: bool
) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    for place, bettor in ((1, "A"), (2, "B")):
        await table.ask("take_seat", place=place, bettor=bettor)
    await table.ask("take_bank", place=1, bettor="A", capital="1000")
    await table.ask("open_round")
    await table.ask("bet", place=2, bettor="B", bet="place", stake="100")
    table.bench.dice.throw((2, 2, 3))
    await dealer.until_phase("throwing")
    await declare_every_kind(table, dealer, 2, every=every)
    assert await declare(dealer, "declare_irregularity", "did_not_throw", 2) == "rule of the house"
    assert await recorded(table) == "table"
    table.bench.dice.throw((5, 5, 4))
    await dealer.until_phase("paying")
    await declare(dealer, "invalidate_throw", "cocked")
    await dealer.until_phase("throwing")


@EVERY
async def test_irregularities_of_football_poker_are_declared_in_a_few_touches(
    open_table: OpenTable, screens: Screens, every: bool
) -> None:
    table = await open_table("football-poker")
    dealer = await dealer_at(table, screens)
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await dealer.until_phase("betting")
    await table.ask("bet", place=1, bettor="A", bet="even", stake="20")
    await table.bench.unplug("display")
    await dealer.device_is("display", "bad")
    named = await declare(dealer, "declare_irregularity", "shown_otherwise")
    await dealer.sign("rui", PINS["rui"])
    await table.until("the draw shown by other means", lambda now: now["round"]["draw"]["shown"])
    assert named == await recorded(table) == "6(1)"
    await table.bench.plug_in("display")
    await dealer.device_is("display", "good")
    await draw(table, pack("As"))
    assert await declare(dealer, "expose_card", 1, "#1", None) == await recorded(table) == "7"
    await declare_every_kind(table, dealer, 1, frozenset({"shown_otherwise"}), every=every)
    for lying, card in enumerate(pack("2s 3h 4d 4c 9s"), 1):
        if (await table.state())["phase"] != "opening":
            await draw(table, [card], lying)
    await dealer.until_phase("opening")
    assert await declare(dealer, "declare_irregularity", "did_not_show", 1) == "rule of the house"
    assert await recorded(table) == "table"
    await declare(dealer, "declare_irregularity", "foreign_card", 1)
    await dealer.sign("rui", PINS["rui"])
    await dealer.until_phase("idle")


async def test_irregularities_of_thirteen_cards_are_declared_in_a_few_touches(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("thirteen-cards")
    dealer = await dealer_at(table, screens)
    await box(table)
    await table.ask("take_seat", place=2, bettor="A")
    await table.ask("open_round")
    await table.ask("bet", place=2, bettor="A", bet="place", stake="100")
    table.bench.dice.throw((1, 1, 1, 2))
    await dealer.until_phase("dealing")
    await draw(table, every_card()[:2])
    assert await declare(dealer, "expose_card", 2, "#1", None) == await recorded(table) == "4"
    await declare(dealer, "misplace_card", 4)
    assert await declare(dealer, "mend_card") == await recorded(table) == "4"
    await say(dealer, "report_cards_held_away")
    await expect(dealer.page.locator(".form [data-value]")).to_have_text(["place 2", "place 3", "place 4"])
    await dealer.page.keyboard.press("Escape")
    assert await declare(dealer, "report_cards_held_away", 2) == await recorded(table) == "3"
    await declare(dealer, "misplace_card", 4)
    assert await declare(dealer, "cancel_deal") == await recorded(table) == "4"
    await dealer.until_phase("reshuffling")


@EVERY
async def test_kinds_of_thirteen_cards_are_declared_in_a_few_touches(
    open_table: OpenTable, screens: Screens, every: bool
) -> None:
    table = await open_table("thirteen-cards")
    dealer = await dealer_at(table, screens)
    await box(table)
    await table.ask("take_seat", place=2, bettor="A")
    await table.ask("open_round")
    await table.ask("bet", place=2, bettor="A", bet="place", stake="100")
    assert await declare(dealer, "declare_irregularity", "did_not_shake") == "rule of the house"
    assert await recorded(table) == "table"
    table.bench.dice.throw((1, 1, 1, 2))
    await dealer.until_phase("dealing")
    await draw(table, every_card()[:1])
    await declare_every_kind(table, dealer, 2, frozenset({"cut_wrongly"}), every=every)
    assert await declare(dealer, "declare_irregularity", "foreign_card", 2) == "1(a)"
    await expect(dealer.page.locator(".result-void")).to_contain_text("art. 1(a)")


async def test_declaration_that_ends_the_round_is_red_and_says_so(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("thirteen-cards")
    await at_stage(table, "dealt")
    dealer = await dealer_at(table, screens)
    await say(dealer, "declare_irregularity", "foreign_card", 2)
    await expect(dealer.page.locator(".form .button-danger.confirm")).to_be_enabled()
    await expect(dealer.page.locator(".form .follows")).to_contain_text("its end")


async def test_hand_of_13_cards_not_shown_is_asked_again(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("thirteen-cards")
    await at_stage(table, "setting")
    await table.ask("finish_setting", place=2)
    dealer = await dealer_at(table, screens)
    assert await declare(dealer, "declare_irregularity", "did_not_show", 2) == "rule of the house"
    assert await recorded(table) == "table"
    await dealer.until_phase("comparing")
