"""Signing on and off: PINs, lock-out, tokens, and the record that each sign-on leaves."""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from tablectl.console.auth.lockout import FORGIVEN_S, Lockouts
from tablectl.console.auth.people import Person, Role
from tablectl.console.auth.pins import CrowdedError, LockedOutError, PinDesk, WrongPinError, check_pin_hash, hash_pin
from tablectl.console.auth.sessions import SCREENS_MAX, Sessions
from tablectl.console.http.origins import HERE
from tablectl.core.facts import Bookmarked
from tablectl.core.facts.table_requests import PersonSignedOn, SignOnFailed
from tests.console.rig import PEOPLE, PINS, House, error, house, quick


async def test_sign_on_is_recorded_before_its_token_is_given() -> None:
    async with house() as here:
        answer = await here.screen().sign_on("sam")
        body = answer.json()
        fact = here.table.facts[-1]
        assert (body["role"], body["expires_s"]) == ("supervisor", 8 * 3600)
        assert len(body["token"]) == 43  # 32 bytes
        assert (fact.body, fact.by, fact.source) == (PersonSignedOn("sam", "supervisor"), "sam", "console")
        assert fact.simulated


async def test_nobody_signs_on_at_a_stopped_table() -> None:
    async with house() as here:
        here.table.stopped = True
        assert error(await here.screen().sign_on("ana")) == (503, "table_stopped", "/v1/sign-on")


@pytest.mark.parametrize(("person", "pin"), [("ana", "9999"), ("nobody", "1111"), ("sam", "1111"), ("ANA", "1111")])
async def test_wrong_name_and_a_wrong_pin_get_the_same_answer(person: str, pin: str) -> None:
    async with house() as here:
        answer = await here.screen().sign_on(person, pin)
        assert error(answer) == (401, "wrong_pin", "body")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert person not in answer.text
        assert here.table.table.records == 4  # the wrong PIN, of whomever


@pytest.mark.parametrize("body", [{}, {"person": "ana"}, {"person": "ana", "pin": 1111}, {"person": "", "pin": "1"}])
async def test_a_sign_on_of_another_form_is_refused(body: object) -> None:
    async with house() as here:
        assert error(await here.screen().http.post("/v1/sign-on", json=body))[:2] == (422, "wrong_fields")


async def test_five_wrong_pins_lock_out_for_a_minute() -> None:
    async with house() as here:
        screen = here.screen()
        for _ in range(5):
            assert (await screen.sign_on("ana", "0000")).status_code == 401
        answer = await screen.sign_on("ana")
        assert error(answer) == (429, "locked_out", "body.person")
        assert 0 < int(answer.headers["Retry-After"]) <= 61
        here.clock.at_s += 59
        assert (await screen.sign_on("ana")).status_code == 429
        here.clock.at_s += 2
        assert (await screen.sign_on("ana")).status_code == 200


async def test_a_lock_out_is_one_persons() -> None:
    async with house() as here:
        for _ in range(5):
            await here.screen().sign_on("ana", "0000")
        assert (await here.screen().sign_on("sam")).status_code == 200


async def test_the_sixth_wrong_pin_locks_again() -> None:
    async with house() as here:
        for _ in range(5):
            await here.screen().sign_on("ana", "0000")
        here.clock.at_s += 61
        assert (await here.screen().sign_on("ana", "0000")).status_code == 401
        assert (await here.screen().sign_on("ana")).status_code == 429


async def test_a_right_pin_begins_the_count_anew() -> None:
    async with house() as here:
        for _ in range(2):
            for _ in range(4):
                assert (await here.screen().sign_on("ana", "0000")).status_code == 401
            assert (await here.screen().sign_on("ana")).status_code == 200


async def test_an_invented_name_is_locked_out_like_a_real_one() -> None:
    async with house() as here:
        answers = [await here.screen().sign_on("nobody", "0000") for _ in range(6)]
        assert [answer.status_code for answer in answers] == [401] * 5 + [429]


@pytest.mark.slow
async def test_invented_names_do_not_wash_out_a_persons_count() -> None:
    async with house(limits=quick(wrong_pins=2)) as here:
        screen = here.screen()
        await screen.sign_on("ana", "0000")
        for nth in range(66):
            await screen.sign_on(f"stranger{nth}", "0000")
        await screen.sign_on("ana", "0000")
        assert (await here.screen().sign_on("ana")).status_code == 429


async def test_wrong_pins_at_once_are_all_counted() -> None:
    async with house() as here:
        screens = [here.screen() for _ in range(8)]
        answers = await asyncio.gather(*(screen.sign_on("ana", "0000") for screen in screens))
        assert sorted(answer.status_code for answer in answers) == [401] * 5 + [429] * 3


async def test_more_than_eight_simultaneous_sign_ons_wait() -> None:
    async with house() as here:
        screens = [here.screen() for _ in range(20)]
        answers = await asyncio.gather(*(screen.sign_on("nobody", "0000") for screen in screens))
        crowded = [answer for answer in answers if error(answer)[1] == "crowded"]
        assert crowded
        assert all(answer.status_code == 429 and answer.headers["Retry-After"] for answer in crowded)


async def test_checking_a_pin_does_not_hold_up_the_loop() -> None:
    costly = PasswordHasher(time_cost=6, memory_cost=65536, parallelism=1)
    people = (Person("ana", Role.DEALER, await asyncio.to_thread(costly.hash, "1111")),)
    async with house(people=people) as here:
        started, done = asyncio.get_running_loop().time(), asyncio.Event()
        signing = asyncio.create_task(here.screen().sign_on("ana"))
        signing.add_done_callback(lambda _: done.set())
        turns = 0
        while not done.is_set():
            await asyncio.sleep(0)
            turns += 1
        assert (await signing).status_code == 200
        assert asyncio.get_running_loop().time() - started > 0.05
        assert turns > 100


async def test_no_token_a_wrong_one_or_another_scheme_is_refused() -> None:
    async with house() as here:
        token = (await here.signed_on("ana")).token
        for header in (
            {},
            {"Authorization": "Bearer x"},
            {"Authorization": token},
            {"Authorization": f"Basic {token}"},
        ):
            answer = await here.screen(**header).http.get("/v1/state")
            assert error(answer) == (401, "not_signed_on", "header Authorization")
            assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_a_token_in_the_address_is_not_looked_at() -> None:
    async with house() as here:
        token = (await here.signed_on("ana")).token
        assert (await here.screen().http.get(f"/v1/state?token={token}")).status_code == 401


async def test_after_signing_off_the_token_is_worth_nothing() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        assert (await dealer.http.post("/v1/sign-off")).json() == {"signed_off": True}
        assert (await dealer.http.get("/v1/state")).status_code == 401
        assert (await dealer.http.post("/v1/sign-off")).status_code == 401


async def test_an_idle_session_ends_and_a_used_one_lasts() -> None:
    async with house(limits=quick(idle_s=100)) as here:
        dealer = await here.signed_on("ana")
        for _ in range(3):
            here.clock.at_s += 99
            assert (await dealer.http.get("/v1/state")).status_code == 200
        here.clock.at_s += 101
        assert (await dealer.http.get("/v1/state")).status_code == 401


async def test_ninth_screen_of_a_person_replaces_their_idlest() -> None:
    sessions = Sessions(idle_s=100)
    tokens = [sessions.begin(PEOPLE[0], now_s) for now_s in range(SCREENS_MAX)]
    sessions.use(tokens[0], 20)
    other = sessions.begin(PEOPLE[1], 21)
    newest = sessions.begin(PEOPLE[0], 22)
    lasting = [token for token in (*tokens, newest, other) if sessions.lasts(token, 23)]
    assert lasting == [tokens[0], *tokens[2:], newest, other]


async def test_neither_pin_nor_token_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with house() as here:
            dealer = await here.signed_on("ana")
            await here.screen().sign_on("ana", "73952846")
            await dealer.state()
        ours = "".join(record.getMessage() for record in caplog.records if record.name.startswith("uvicorn"))
        assert dealer.token not in ours
        assert "73952846" not in ours


def test_hash_of_a_pin_can_be_checked_and_is_salted() -> None:
    first, second = hash_pin("2741"), hash_pin("2741")
    assert first != second
    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    check_pin_hash(first)
    assert PasswordHasher().verify(first, "2741")


@pytest.mark.parametrize("pin", ["", "123", "1" * 65])
def test_a_pin_too_short_or_too_long_has_no_hash(pin: str) -> None:
    with pytest.raises(ValueError, match="4 to 64"):
        hash_pin(pin)


@pytest.mark.parametrize(
    "pin",
    [
        *("1111", "1212", "1234", "9876", "2468", "1990", "2026", "2580", "123123", "123321"),
        *("112233", "001122", "7890", "1234567890", "0987", "123123123", "12321", "Qwerty", "1q2w3e4r", "abc123"),
    ],
)
def test_a_new_pin_that_is_guessed_first_is_refused(pin: str) -> None:
    with pytest.raises(ValueError, match="first tries"):
        hash_pin(pin)


async def test_failures_from_elsewhere_never_lock_the_tables_own_screen() -> None:
    desk = _pin_desk()
    for nth in range(200):
        with pytest.raises((WrongPinError, LockedOutError)):
            await desk.check("ana", "0000", f"192.0.2.{nth}", 0.0)
    assert await desk.check("ana", PINS["ana"], HERE, 0.0) == 0


async def test_origin_that_signed_on_before_is_not_locked_by_others() -> None:
    desk = _pin_desk()
    await desk.check("sam", PINS["sam"], "198.51.100.1", 0.0)
    for nth in range(100):
        with pytest.raises((WrongPinError, LockedOutError)):
            await desk.check("sam", "0000", f"192.0.2.{nth}", 0.0)
    assert await desk.check("sam", PINS["sam"], "198.51.100.1", 0.0) == 0
    with pytest.raises(LockedOutError):
        await desk.check("sam", PINS["sam"], "203.0.113.1", 0.0)


async def test_many_machines_together_guess_no_faster_than_a_few() -> None:
    desk, tried = _pin_desk(), 0
    for nth in range(1000):
        try:
            await desk.check("ana", "0000", f"192.0.{nth // 250}.{nth % 250}", 0.0)
        except WrongPinError:
            tried += 1
        except LockedOutError:
            continue
    assert tried == 20


def test_delay_after_wrong_pin_grows_up_to_quarter_of_hour() -> None:
    lockouts, now_s, delays = Lockouts(5, 60.0, PINS), 0.0, list[float]()
    for _ in range(12):
        lockouts.failed("ana", HERE, now_s)
        delays.append(lockouts.wait_s("ana", HERE, now_s))
        now_s += delays[-1]
    assert delays == [0.0] * 4 + [60.0, 120.0, 240.0, 480.0] + [900.0] * 4


def test_the_right_pin_forgives_ones_own_slips_everywhere() -> None:
    lockouts = Lockouts(5, 60.0, PINS)
    for nth in range(100):
        lockouts.failed("ana", f"192.0.2.{nth}", 0.0)
        assert lockouts.wait_s("ana", f"192.0.2.{nth}", 0.0) == 0
        lockouts.succeeded("ana", f"192.0.2.{nth}")


def test_others_wrong_pins_are_not_forgiven_by_a_right_one() -> None:
    lockouts = Lockouts(5, 60.0, PINS)
    for nth in range(19):
        lockouts.failed("ana", f"192.0.2.{nth}", 0.0)
    lockouts.failed("ana", "198.51.100.1", 0.0)
    lockouts.succeeded("ana", "198.51.100.1")
    lockouts.failed("ana", "192.0.2.19", 0.0)
    assert lockouts.wait_s("ana", "192.0.2.20", 0.0) > 0


@pytest.mark.parametrize(("after_s", "wait_s"), [(FORGIVEN_S - 1, 120.0), (FORGIVEN_S, 0.0)])
@pytest.mark.parametrize("origin", [HERE, "192.0.2.1"])
def test_time_without_wrong_pins_forgives_those_before(origin: str, after_s: float, wait_s: float) -> None:
    lockouts = Lockouts(5, 60.0, PINS)
    for _ in range(5):
        lockouts.failed("ana", origin, 0.0)
    lockouts.failed("ana", origin, after_s)
    assert lockouts.wait_s("ana", origin, after_s) == wait_s


async def test_sixteen_strangers_who_sign_on_keep_nobody_at_table_waiting() -> None:
    desk = _pin_desk()
    strangers = [asyncio.create_task(desk.check("nobody", "0", f"192.0.2.{nth % 4}", 0.0)) for nth in range(16)]
    await asyncio.sleep(0)
    assert await desk.check("ana", PINS["ana"], HERE, 0.0) == 0
    found = await asyncio.gather(*strangers, return_exceptions=True)
    assert sum(isinstance(each, CrowdedError) for each in found) == 8


async def test_wrong_pins_are_counted_over_a_restart() -> None:
    kept = list[Mapping[str, Any]]()
    async with house(keep_failures=kept.append) as here:
        for _ in range(4):
            await here.screen().sign_on("ana", "0000")
    async with house(failures=json.loads(json.dumps(kept[-1]))) as here:
        assert (await here.screen().sign_on("ana", "0000")).status_code == 401
        assert (await here.screen().sign_on("ana")).status_code == 429
    broken = {"ana": {"failures": {"here": ["x", None]}}, "sam": 3, "eve": {"trusted": 3}, "tom": {"failures": [1]}}
    async with house(failures=broken) as here:
        assert (await here.screen().sign_on("ana")).status_code == 200


async def test_a_second_person_releases_a_name_and_it_is_noted() -> None:
    async with house() as here:
        for _ in range(5):
            await here.screen().sign_on("ana", "0000")
        assert (await here.screen().sign_on("ana")).status_code == 429
        watcher, supervisor = await here.signed_on("eve"), await here.signed_on("sam")
        assert (await watcher.http.post("/v1/release", json={"person": "ana"})).status_code == 403
        assert (await supervisor.http.post("/v1/release", json={"person": "sam"})).status_code == 403
        assert (await supervisor.http.post("/v1/release", json={"person": "ana"})).json() == {"released": "ana"}
        assert (await here.screen().sign_on("ana")).status_code == 200
        assert (Bookmarked("sign-on of ana released"), "sam") in [(fact.body, fact.by) for fact in here.table.facts]


async def test_releases_of_a_name_try_out_no_more_pins() -> None:
    async with house() as here:
        supervisor, tried = await here.signed_on("sam"), 0
        for _ in range(60):
            answer = await here.screen().sign_on("ana", "0000")
            tried += answer.status_code == 401
            if answer.status_code == 429:
                await supervisor.http.post("/v1/release", json={"person": "ana"})
        answer = await supervisor.http.post("/v1/release", json={"person": "ana"})
        assert (tried, error(answer)) == (20, (429, "locked_out", "body.person"))
        assert int(answer.headers["Retry-After"]) == 3600
        here.clock.at_s += 3601
        assert (await supervisor.http.post("/v1/release", json={"person": "ana"})).status_code == 200


def _pin_desk() -> PinDesk:
    hashes = {person.name: person.pin_hash for person in PEOPLE}
    return PinDesk(hashes, Lockouts(5, 60.0, hashes))


@pytest.mark.parametrize(
    "pin_hash",
    [
        "",
        "2580",
        "$argon2id$v=19$m=19456,t=2,p=1$short",
        "$argon2id$v=19$m=x,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
        PasswordHasher(1, 8, 1, type=Type.I).hash("2580", salt=b"the same each time"),
        "$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$argon2id$v=19$m=19456,t=999,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$argon2id$v=19$m=19456,t=2,p=64$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
    ],
)
def test_person_with_unfit_hash_is_named_with_the_remedy(pin_hash: str) -> None:
    with pytest.raises(ValueError, match=r"ana: pin_hash .*tablectl pin"):
        Person("ana", Role.DEALER, pin_hash)


async def test_unknown_name_is_checked_like_known_one_at_same_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = list[str]()
    verify = PasswordHasher.verify

    def counted(self: PasswordHasher, pin_hash: str | bytes, pin: str | bytes) -> bool:
        checked.append(str(pin_hash))
        return bool(verify(self, pin_hash, pin))

    monkeypatch.setattr(PasswordHasher, "verify", counted)
    people = (Person("ana", Role.DEALER, await asyncio.to_thread(hash_pin, "2741")),)
    async with house(people=people, limits=quick(wrong_pins=100)) as here:
        for name in ("ana", "nobody", "ana\x00", "A" * 64):
            checked.clear()
            assert (await here.screen().sign_on(name, "0000")).status_code == 401
            (pin_hash,) = checked
            assert extract_parameters(pin_hash) == extract_parameters(people[0].pin_hash)


async def test_first_lock_out_and_each_doubling_are_recorded() -> None:
    async with house(limits=quick(lockout_s=0.0)) as here:
        for _ in range(23):
            await here.screen().sign_on("ana", "0000")
        assert _failed(here) == [
            SignOnFailed("ana", 1),
            SignOnFailed("ana", 5, locked=True),
            SignOnFailed("ana", 10, locked=True),
            SignOnFailed("ana", 20, locked=True),
        ]
        assert all(fact.by is None and fact.source == "console" for fact in here.table.facts[3:])


async def test_number_of_wrong_pins_is_recorded_before_the_right_one() -> None:
    async with house() as here:
        for pin in ("0000", "0001", "0002", PINS["ana"]):
            await here.screen().sign_on("ana", pin)
        bodies = [fact.body for fact in here.table.facts[3:]]
        assert bodies == [SignOnFailed("ana", 1), SignOnFailed("ana", 3), PersonSignedOn("ana", "dealer")]


async def test_invented_name_is_recorded_without_name_which_may_be_pin() -> None:
    async with house() as here:
        for nth in range(12):
            await here.screen().sign_on(f"99{nth}", "0000")
        assert _failed(here) == [SignOnFailed("", 1), SignOnFailed("", 5), SignOnFailed("", 10)]
        here.clock.at_s += 3601
        await here.screen().sign_on("another", "0000")
        assert _failed(here)[-1] == SignOnFailed("", 1)


async def test_wrong_pin_at_a_stopped_table_is_answered_all_same() -> None:
    async with house() as here:
        here.table.stopped = True
        assert error(await here.screen().sign_on("ana", "0000"))[:2] == (401, "wrong_pin")


async def test_who_may_sign_on_is_offered_by_name_and_role() -> None:
    async with house() as here:
        people = (await here.screen().http.get("/v1/people")).json()["people"]
        assert people[0] == {"person": "ana", "role": "dealer"}
        assert [each["role"] for each in people] == ["dealer", "supervisor", "technician", "surveillance"]


async def test_a_house_may_keep_the_names_to_itself() -> None:
    async with house(listed=False) as here:
        assert (await here.screen().http.get("/v1/people")).json() == {"people": []}


def _failed(here: House) -> list[SignOnFailed]:
    return [fact.body for fact in here.table.facts if isinstance(fact.body, SignOnFailed)]
