"""Every request through the real API to the real fold, and every reason to say no."""

import asyncio

import httpx
import pytest

from tablectl.console.requests.table import VERBS
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.game_requests import CardsHeldAway
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, PacketDelivered, ShuffleCompleted
from tablectl.core.faults import Authority, Code
from tests.console.rig import LANGUAGES, dealt, error, house


def refusal(answer: httpx.Response) -> tuple[str, str]:
    """Article and code of a refusal that says its reason in every language."""
    body = answer.json()
    assert answer.status_code == 409, answer.text
    assert body["accepted"] is False
    assert tuple(body["refused"]["text"]) == LANGUAGES
    return body["refused"]["article"], body["refused"]["code"]


async def test_a_whole_round_is_played_by_requests() -> None:
    async with house() as here:
        dealer = await dealt(here)
        await dealer.done("open_hand", place=1)
        await dealer.done("decide", place=1, bettor="A", decision="play")
        await dealer.done("open_hand", place="dealer", cards=["Qs", "7h", "2c"])
        state = await dealer.state()
        assert (state["phase"], state["round_id"]) == ("idle", None)


async def test_request_becomes_fact_with_all_that_asker_said_and_is() -> None:
    async with house() as here:
        supervisor = await here.signed_on("sam")
        seen = (await supervisor.state())["seen"]
        answer = await supervisor.ask("confirm_pack", request_id="screen7:1")
        fact = here.table.facts[-1]
        assert answer.json() == {"accepted": True, "record": here.table.table.records}
        assert (fact.by, fact.source, fact.request_id) == ("sam", "console", "screen7:1")
        assert (fact.round_id, fact.seen, fact.simulated) == (None, seen, True)
        assert fact.at == here.clock.now()


async def test_money_comes_as_decimal_text() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round", dealing="shoe")
        await dealer.done("bet", place=2, bettor="B", bet="versus_dealer", stake="0.50")
        await dealer.done("bet", place=2, bettor="B", bet="versus_dealer", stake="100")
        assert (await dealer.state())["round"]["bets"][0]["stake"] == "100.50"


async def test_a_bet_is_taken_back_whole() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        await dealer.done("bet", place=1, bettor="A", bet="pair_or_better", stake="5")
        await dealer.done("take_back_bet", place=1, bettor="A", bet="pair_or_better")
        assert (await dealer.state())["round"]["bets"] == []


async def test_betting_is_closed_once() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        await dealer.done("bet", place=1, bettor="A", bet="versus_dealer", stake="5")
        await dealer.done("close_betting")
        assert refusal(await dealer.ask("close_betting")) == ("6(2)", "betting_over")


async def test_the_law_refuses_with_its_article_in_every_language() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        assert refusal(await dealer.ask("open_round")) == ("3(1)", "pack_not_confirmed")


async def test_a_misplaced_card_is_mended() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        await dealer.done("bet", place=1, bettor="A", bet="versus_dealer", stake="100")
        here.table.draw("As")
        await dealer.done("misplace_card", place="dealer")
        await dealer.done("mend_card")
        assert refusal(await dealer.ask("mend_card")) == ("11(1)", "nothing_misplaced")


async def test_an_exposed_card_of_the_dealer_makes_the_round_void() -> None:
    async with house() as here:
        dealer = await dealt(here)
        await dealer.done("expose_card", place="dealer", index=1, card="Qs")
        assert (await dealer.state())["phase"] == "idle"


async def test_cards_are_counted_after_the_shoe_was_away() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        await dealer.done("bet", place=1, bettor="A", bet="versus_dealer", stake="100")
        here.table.draw("As")
        here.table.report(DeviceLost("shoe", "unplugged"), DeviceAttached("shoe"))
        await dealer.done("count_cards", count=1)
        assert (await dealer.state())["phase"] == "dealing"


async def test_cards_held_away_are_noted() -> None:
    async with house() as here:
        dealer = await dealt(here)
        await dealer.done("report_cards_held_away", place=1)
        assert here.table.facts[-1].body == CardsHeldAway(1, "")


async def test_the_shuffler_deals_and_its_malfunction_makes_the_round_void() -> None:
    async with house() as here:
        here.table.report(DeviceAttached("shuffler"))
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack", shuffle="machine")
        await dealer.done("open_round")
        await dealer.done("change_dealing", dealing="shuffler")
        await dealer.done("bet", place=1, bettor="A", bet="versus_dealer", stake="100")
        operation = here.table.table.game.pack.operation
        here.table.report(ShuffleCompleted("shuffler", operation, 52), PacketDelivered("shuffler", 3))
        await dealer.done("declare_malfunction")
        assert (await dealer.state())["phase"] == "idle"


async def test_a_supervisor_voids_a_round() -> None:
    async with house() as here:
        await dealt(here)
        supervisor = await here.signed_on("sam")
        await supervisor.done("void_round", reason="the table was knocked over")
        assert (await supervisor.state())["phase"] == "idle"


async def test_dealer_alone_may_not_void_round_and_nothing_is_recorded() -> None:
    async with house() as here:
        dealer = await dealt(here)
        records = here.table.table.records
        answer = await dealer.ask("void_round", reason="no")
        assert error(answer) == (403, "second_needed", "body.second")
        assert "supervisor" in answer.json()["error"]["message"]
        assert here.table.table.records == records


TRIALS = {"run_self_test", "show_test_pattern"}


@pytest.mark.parametrize(("person", "may"), [("tom", TRIALS), ("eve", set[str]())])
async def test_technician_and_surveillance_may_not_run_the_game(person: str, may: set[str]) -> None:
    async with house() as here:
        screen = await here.signed_on(person)
        for verb in set(VERBS) - {"acknowledge_fault", "bookmark"} - may:
            assert error(await screen.ask(verb))[:2] == (403, "role_may_not")


@pytest.mark.parametrize("verb", sorted(TRIALS))
async def test_devices_are_tried_by_technician_or_supervisor_only(verb: str) -> None:
    async with house() as here:
        for person in ("ana", "eve"):
            answer = await (await here.signed_on(person)).ask(verb, device="shoe")
            assert error(answer)[:2] == (403, "role_may_not")
        for person in ("tom", "sam"):
            answer = await (await here.signed_on(person)).ask(verb, device="shoe")
            assert (answer.status_code, answer.json()["refused"]["code"]) == (409, "not_played_here")


ONE_OF_EACH = {
    Authority.AUTO: Code.LINK_LOST,
    Authority.DEALER: Code.CARD_OUT_OF_ROUND,
    Authority.SUPERVISOR: Code.EVENT_GAP,
    Authority.TECHNICIAN: Code.CORRUPT_FRAMES,
}


@pytest.mark.parametrize(
    ("person", "may"),
    [
        ("ana", {Authority.AUTO, Authority.DEALER}),
        ("sam", {Authority.AUTO, Authority.DEALER, Authority.SUPERVISOR}),
        ("tom", {Authority.AUTO, Authority.TECHNICIAN}),
        ("eve", {Authority.AUTO}),
    ],
)
async def test_a_fault_takes_the_word_of_who_may_clear_it(person: str, may: set[Authority]) -> None:
    async with house() as here:
        here.table.report(*(FaultRaised(code, "shoe") for code in ONE_OF_EACH.values()))
        screen = await here.signed_on(person)
        for authority, code in ONE_OF_EACH.items():
            answer = await screen.ask("acknowledge_fault", code=code, device="shoe")
            assert answer.status_code == (200 if authority in may else 403), authority
        seen_by = {fault.acknowledged_by for fault in here.table.table.faults}
        assert seen_by == {person, None}


async def test_fault_whose_cause_is_gone_leaves_the_list_when_acknowledged() -> None:
    async with house() as here:
        code = Code.CARD_OUT_OF_ROUND
        here.table.report(FaultRaised(code, "shoe"), FaultCleared(code, "shoe"))
        dealer = await here.signed_on("ana")
        await dealer.done("acknowledge_fault", code=code, device="shoe")
        assert (await dealer.state())["faults"] == []


async def test_fault_that_does_not_stand_is_refused_by_the_table() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        assert refusal(await dealer.ask("acknowledge_fault", code=4000)) == ("table", "no_such_fault")


async def test_a_screen_that_shows_another_round_is_refused() -> None:
    async with house() as here:
        dealer = await dealt(here)
        answer = await dealer.ask("open_hand", place=1, round_id="a1b2c3d4-000099")
        assert refusal(answer) == ("table", "stale_screen")


async def test_a_screen_that_shows_an_earlier_phase_is_refused() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        shown = await dealer.state()
        await dealer.done("open_round")
        assert refusal(await dealer.ask("open_round", seen=shown["seen"])) == ("table", "stale_screen")


async def test_a_request_sent_again_is_done_once() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        for _ in range(3):
            await dealer.done("bet", request_id="b1", place=1, bettor="A", bet="versus_dealer", stake="100")
        assert [bet["stake"] for bet in (await dealer.state())["round"]["bets"]] == ["100.00"]


async def test_a_refused_request_sent_again_gets_the_same_refusal() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        first = await dealer.ask("open_round", request_id="o1")
        await dealer.done("confirm_pack")
        again = await dealer.ask("open_round", request_id="o1")
        assert refusal(first) == refusal(again) == ("3(1)", "pack_not_confirmed")


async def test_two_clients_at_once_both_have_their_bets_taken() -> None:
    async with house() as here:
        dealer, supervisor = await here.signed_on("ana"), await here.signed_on("sam")
        await dealer.done("confirm_pack")
        await dealer.done("open_round")
        both = ((dealer, "A"), (supervisor, "B"))
        laid = [
            screen.ask("bet", request_id=f"b{nth}", place=nth, bettor=bettor, bet="versus_dealer", stake="10")
            for nth in range(1, 8)
            for screen, bettor in both
        ]
        answers = await asyncio.gather(*laid)
        assert {answer.status_code for answer in answers} == {200}
        assert len((await dealer.state())["round"]["bets"]) == 14


async def test_two_who_open_a_round_at_once_open_one() -> None:
    async with house() as here:
        dealer, supervisor = await here.signed_on("ana"), await here.signed_on("sam")
        await dealer.done("confirm_pack")
        seen = (await dealer.state())["seen"]
        answers = await asyncio.gather(
            *(screen.ask("open_round", round_id=None, seen=seen) for screen in (dealer, supervisor))
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_a_stopped_table_answers_503_and_when_to_ask_again() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        here.table.stopped = True
        answer = await dealer.ask("confirm_pack")
        assert error(answer) == (503, "table_stopped", "/v1/requests/confirm_pack")
        assert int(answer.headers["Retry-After"]) > 0


async def test_mistake_of_program_has_one_form_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with house(status=_mistake) as here:
        answer = await here.screen().http.get("/v1/health")
        assert error(answer) == (500, "internal", "/v1/health")
        assert "ZeroDivisionError" in caplog.text


def _mistake() -> str:
    return str(1 // 0)


async def test_no_card_that_lies_face_down_is_in_the_state() -> None:
    async with house() as here:
        dealer = await dealt(here)
        state = await dealer.state()
        assert [hand["cards"] for hand in state["round"]["hands"]] == [[None] * 3, [None] * 3]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/v1/nothing", (404, "no_such_path", "GET /v1/nothing")),
        ("GET", "/v1/state/", (404, "no_such_path", "GET /v1/state/")),
        ("POST", "/v1/requests/shuffle", (404, "no_such_verb", "/v1/requests/shuffle")),
        ("GET", "/v1/requests/bet", (405, "wrong_method", "GET /v1/requests/bet")),
        ("DELETE", "/v1/state", (405, "wrong_method", "DELETE /v1/state")),
        ("OPTIONS", "/v1/state", (405, "wrong_method", "OPTIONS /v1/state")),
        ("GET", "/v1/live", (426, "websocket_only", "/v1/live")),
    ],
)
async def test_what_is_not_there_says_so(method: str, path: str, expected: tuple[int, str, str]) -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        answer = await dealer.http.request(method, path)
        assert error(answer) == expected
        assert (answer.status_code == 405) == ("Allow" in answer.headers)


async def test_health_is_open_and_minimal() -> None:
    async with house() as here:
        answer = await here.screen().http.get("/v1/health")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok", "health": {}})


async def test_health_says_in_a_word_what_is_wrong() -> None:
    async with house(status=lambda: "stopping") as here:
        answer = await here.screen().http.get("/v1/health")
        assert (answer.status_code, answer.json()) == (503, {"status": "stopping", "health": {}})


async def test_answers_stay_out_of_caches() -> None:
    async with house() as here:
        answer = await (await here.signed_on("ana")).http.get("/v1/state")
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "server" not in answer.headers
