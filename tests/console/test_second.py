"""What takes two persons: who may be the second one, how they prove it, and that both are named."""

import pytest

from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundVoided, SignOnFailed
from tests.console.rig import PINS, House, Screen, dealt, error, house, new_table

CORRECTION = {
    "corrects": "a1b2c3d4-000001",
    "reason": "read wrongly",
    "changes": [{"bettor": "A", "amount": "-100"}, {"bettor": "B", "amount": "50.50"}],
}


def second(person: str, pin: str | None = None) -> dict[str, str]:
    return {"person": person, "pin": pin or PINS[person]}


async def test_dealer_voids_round_with_supervisor_and_both_are_named() -> None:
    async with house() as here:
        dealer = await dealt(here)
        await dealer.done("void_round", reason="knocked over", second=second("sam"))
        fact = here.table.facts[-1]
        assert (fact.body, fact.by, fact.second) == (RoundVoided("knocked over"), "ana", "sam")
        assert (await dealer.state())["phase"] == "idle"


async def test_a_supervisor_voids_a_round_alone() -> None:
    async with house() as here:
        await dealt(here)
        supervisor = await here.signed_on("sam")
        await supervisor.done("void_round", reason="knocked over")
        assert (here.table.facts[-1].by, here.table.facts[-1].second) == ("sam", None)


async def test_a_supervisor_may_name_the_dealer_beside_them() -> None:
    async with house() as here:
        await dealt(here)
        supervisor = await here.signed_on("sam")
        await supervisor.done("void_round", reason="knocked over", second=second("ana"))
        assert here.table.facts[-1].second == "ana"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, (403, "second_needed", "body.second")),
        (second("ana"), (403, "second_needed", "body.second")),
        (second("tom"), (403, "second_needed", "body.second")),
        (second("sam", "0000"), (403, "second_wrong_pin", "body.second")),
        (second("nobody", "0000"), (403, "second_wrong_pin", "body.second")),
    ],
    ids=["nobody", "themselves", "technician", "wrong_pin", "unknown"],
)
async def test_no_other_second_person_will_do(given: object, expected: tuple[int, str, str]) -> None:
    async with house() as here:
        dealer = await dealt(here)
        answer = await dealer.ask("void_round", reason="no", second=given)
        assert error(answer) == expected
        assert "WWW-Authenticate" not in answer.headers
        assert (await dealer.state())["phase"] == "opening"
        assert not any(isinstance(fact.body, RoundVoided) for fact in here.table.facts)


@pytest.mark.parametrize(("asker", "other"), [("ana", "sam"), ("sam", "ana")])
async def test_two_persons_correct_a_round_one_of_them_a_supervisor(asker: str, other: str) -> None:
    async with house() as here:
        screen = await _after_a_round(here, asker)
        await screen.done("correct_round", request_id="c1", **CORRECTION, second=second(other))
        fact = here.table.facts[-1]
        changes = (Correction("A", -10000), Correction("B", 5050))
        assert fact.body == RoundCorrected("a1b2c3d4-000001", "read wrongly", changes)
        assert (fact.by, fact.second) == (asker, other)


async def test_a_supervisor_alone_corrects_nothing() -> None:
    async with house() as here:
        screen = await _after_a_round(here, "sam")
        assert error(await screen.ask("correct_round", request_id="c1", **CORRECTION))[1] == "second_needed"


async def test_wrong_second_pin_counts_towards_its_owners_lock_out() -> None:
    async with house() as here:
        dealer = await dealt(here)
        for _ in range(5):
            await dealer.ask("void_round", reason="no", second=second("sam", "0000"))
        locked = await dealer.ask("void_round", reason="no", second=second("sam"))
        assert error(locked) == (429, "locked_out", "body.second.person")
        assert (await here.screen().sign_on("sam")).status_code == 429
        assert (await here.screen().sign_on("ana")).status_code == 200
        failed = [fact.body for fact in here.table.facts if isinstance(fact.body, SignOnFailed)]
        assert failed == [SignOnFailed("sam", 1), SignOnFailed("sam", 5, locked=True)]


async def test_second_person_where_none_is_called_for_is_unknown_field() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        answer = await dealer.ask("confirm_pack", second=second("sam"))
        assert error(answer)[:2] == (422, "wrong_fields")


async def test_no_pin_of_second_person_is_in_what_is_recorded() -> None:
    table = new_table()
    async with house(table) as here:
        dealer = await dealt(here)
        await dealer.done("void_round", reason="knocked over", second=second("sam"))
        assert PINS["sam"] not in repr(table.facts)
        assert PINS["sam"] not in repr(table.table.answers)


async def _after_a_round(here: House, person: str) -> Screen:
    await (await dealt(here)).done("void_round", reason="knocked over", second=second("sam"))
    return await here.signed_on(person)
