"""The console under TLS, and people who sign on with a certificate."""

import asyncio
import json
import ssl
from dataclasses import replace
from hashlib import sha256
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher
from websockets.asyncio.client import connect

from tablectl.console.auth.people import Person, Role
from tablectl.console.http.tls import Tls, common_name, context_of
from tablectl.core.facts.table_requests import PersonSignedOn
from tests.console.rig import PEOPLE, PINS, Screen, error, house
from tests.console.rig import House as Served
from tests.support.authority import Authority, Pair, under_password
from tests.support.patience import PATIENCE_S

CERTIFIED = Person("kim", Role.SUPERVISOR, "", certificate="Kim Supervisor")
EVERYBODY = (*PEOPLE, CERTIFIED)


class House:
    """An authority, the console's own certificate and one of a person."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder)
        own = self.authority.sign("table-7")
        self.person = self.authority.sign("Kim Supervisor")
        self.tls = Tls(own.cert, own.key, self.authority.file)
        self.without = Tls(own.cert, own.key)

    def browser(self, shows: Pair | None = None) -> ssl.SSLContext:
        return self.authority.browser(shows)


@pytest.fixture
def made(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_console_speaks_tls_and_its_cookie_goes_no_other_way(made: House) -> None:
    async with house(tls=made.without) as here:
        screen = here.browser(made.browser(), Origin=here.url)
        body = {"person": "ana", "pin": PINS["ana"], "cookie": True}
        answer = await screen.http.post("/v1/sign-on", json=body)
        (cookie,) = SimpleCookie(answer.headers["Set-Cookie"]).values()
        assert cookie["secure"] is True
        await screen.done("confirm_pack")


async def test_live_goes_over_tls(made: House) -> None:
    async with house(tls=made.without) as here:
        screen = here.browser(made.browser())
        await screen.sign_on("ana")
        async with connect(
            f"wss://127.0.0.1:{here.port}/v1/live",
            proxy=None,
            ssl=made.browser(),
            origin=here.url,  # type: ignore[arg-type]  # a NewType over text
            additional_headers={"Authorization": f"Bearer {screen.token}"},
        ) as live:
            assert json.loads(await live.recv())["type"] == "state"


async def test_nobody_speaks_plain_to_it(made: House) -> None:
    async with house(tls=made.without) as here, httpx.AsyncClient(trust_env=False) as plain:
        with pytest.raises(httpx.TransportError):
            await plain.get(f"http://127.0.0.1:{here.port}/v1/health")


async def test_an_older_tls_than_1_2_is_refused(made: House) -> None:
    async with house(tls=made.without) as here:
        old = made.browser()
        old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises(httpx.ConnectError):
            await here.browser(old).http.get("/v1/health")


async def test_certificate_signs_its_person_on_and_the_record_says_how(made: House) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        screen = here.browser(made.browser(made.person), Origin=here.url)
        answer = await screen.http.get("/v1/session")
        assert answer.json() == {"person": "kim", "role": "supervisor", "expires_s": 8 * 3600}
        assert here.table.facts[-1].body == PersonSignedOn("kim", "supervisor", "certificate")
        await screen.done("confirm_pack")
        assert here.table.facts[-1].by == "kim"


async def test_a_session_by_certificate_is_begun_once(made: House) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        screen = here.browser(made.browser(made.person), Origin=here.url)
        for _ in range(3):
            await screen.http.get("/v1/session")
        assert sum(isinstance(fact.body, PersonSignedOn) for fact in here.table.facts) == 1


async def test_without_a_certificate_people_sign_on_by_pin_as_ever(made: House) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        screen = here.browser(made.browser())
        assert error(await screen.http.get("/v1/session"))[:2] == (401, "not_signed_on")
        assert (await screen.sign_on("ana")).status_code == 200


async def test_nobodys_certificate_signs_nobody_on(made: House) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        stranger = made.authority.sign("Somebody Else")
        screen = here.browser(made.browser(stranger))
        assert error(await screen.http.get("/v1/session"))[:2] == (401, "not_signed_on")


@pytest.mark.parametrize("kind", ["of_another_authority", "expired"])
async def test_certificate_that_is_not_good_gets_no_answer_at_all(made: House, tmp_path: Path, kind: str) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        other = Authority(tmp_path, "other")
        expired = made.authority.sign("Kim Supervisor", expired=True)
        shown = expired if kind == "expired" else other.sign("Kim Supervisor")
        with pytest.raises(httpx.TransportError):
            await here.browser(made.browser(shown)).http.get("/v1/session")


async def test_where_no_authority_is_named_a_certificate_means_nothing(made: House) -> None:
    async with house(tls=made.without, people=EVERYBODY) as here:
        screen = here.browser(made.browser(made.person))
        assert error(await screen.http.get("/v1/session"))[:2] == (401, "not_signed_on")


async def test_who_signs_on_by_certificate_has_no_pin_that_fits(made: House) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        screen: Screen = here.browser(made.browser())
        assert error(await screen.sign_on("kim", "1111"))[:2] == (401, "wrong_pin")


def test_a_person_without_pin_and_certificate_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="kim"):
        Person("kim", Role.DEALER, "")


def test_key_that_is_another_certificates_is_an_error_of_caller(made: House) -> None:
    other = made.authority.sign("other")
    with pytest.raises(OSError, match="the key is of another certificate"):
        context_of(Tls(made.tls.cert, other.key))


async def shown(here: Served, made: House) -> str:
    """The fingerprint of the certificate that the console shows to a new connection."""
    _, writer = await asyncio.open_connection("127.0.0.1", here.port, ssl=made.browser())
    try:
        shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return sha256(shown).hexdigest()
    finally:
        writer.transport.abort()


def in_file(pair: Pair) -> str:
    """The fingerprint of the certificate in a file."""
    return sha256(ssl.PEM_cert_to_DER_cert(Path(pair.cert).read_text("utf-8"))).hexdigest()


async def until_shown(here: Served, made: House, wanted: str) -> None:
    """Wait until new connections are shown this certificate."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if await shown(here, made) == wanted:
                return
            await asyncio.sleep(0.01)


async def until_refused(here: Served, shows: ssl.SSLContext) -> None:
    """Ask on one new connection after another."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            async with httpx.AsyncClient(verify=shows, trust_env=False) as fresh:
                await fresh.get(f"{here.url}/v1/session")


async def test_a_renewed_certificate_is_shown_without_a_restart(made: House) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    async with house(tls=replace(made.tls, renewal_s=0.01), renewed=told.put_nowait) as here:
        screen = here.browser(made.browser())
        await screen.sign_on("ana")
        first = await shown(here, made)
        renewed = await asyncio.to_thread(made.authority.sign, "table-7")
        assert in_file(renewed) != first
        await until_shown(here, made, in_file(renewed))
        await screen.done("confirm_pack")  # over the connection from before
        async with asyncio.timeout(PATIENCE_S):
            while await told.get():  # a pair that was only half there when it was looked at is said, and read again
                pass


async def test_a_spoilt_renewal_leaves_the_certificate_in_use(made: House) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    async with house(tls=replace(made.tls, renewal_s=0.01), renewed=told.put_nowait) as here:
        first = await shown(here, made)
        locked = await asyncio.to_thread(under_password, made.tls.key)
        await asyncio.to_thread(Path(locked).replace, made.tls.key)
        async with asyncio.timeout(PATIENCE_S):
            assert f"{made.tls.key}: the key is under a password" in await told.get()
        assert await shown(here, made) == first


async def test_somebody_revoked_while_the_console_runs_gets_no_answer(made: House) -> None:
    crl = await asyncio.to_thread(made.authority.revoke)
    async with house(people=EVERYBODY, tls=replace(made.tls, client_crl=crl, renewal_s=0.01)) as here:
        assert (await here.browser(made.browser(made.person)).http.get("/v1/session")).status_code == 200
        await asyncio.to_thread(made.authority.revoke, made.person)
        with pytest.raises(httpx.TransportError):
            await until_refused(here, made.browser(made.person))


async def test_a_session_ends_once_its_certificate_is_revoked(made: House) -> None:
    crl = await asyncio.to_thread(made.authority.revoke)
    read: asyncio.Queue[str] = asyncio.Queue()
    tls = replace(made.tls, client_crl=crl, renewal_s=0.01)
    async with house(people=EVERYBODY, tls=tls, renewed=read.put_nowait) as here:
        kim, ana = here.browser(made.browser(made.person)), here.browser(made.browser())
        assert (await kim.http.get("/v1/session")).json()["person"] == "kim"
        await ana.sign_on("ana")
        elsewhere = here.browser(made.browser())
        elsewhere.http.cookies = kim.http.cookies
        assert (await elsewhere.http.get("/v1/state")).status_code == 200
        await asyncio.to_thread(made.authority.revoke, made.person)
        async with asyncio.timeout(PATIENCE_S):
            while await read.get():  # a list that was only half there when it was looked at is read again
                pass
        for screen in (kim, elsewhere):  # the one over the connection from before, which showed the certificate
            for path in ("/v1/state", "/v1/session"):
                assert error(await screen.http.get(path))[:2] == (401, "not_signed_on")
        assert (await ana.http.get("/v1/state")).status_code == 200


@pytest.mark.parametrize(
    ("certificate", "name"),
    [
        (None, ""),
        ({}, ""),
        ({"subject": ((("commonName", "Ana"),),)}, "Ana"),
        ({"subject": ((("organizationName", "House"),), (("commonName", "Ana"),))}, "Ana"),
        ({"subject": ((("commonName", "Ana"),), (("commonName", "Sam"),))}, ""),
    ],
)
def test_a_certificate_with_one_common_name_names_somebody(certificate: dict[str, object] | None, name: str) -> None:
    assert common_name(certificate) == name


def test_pin_and_a_certificate_may_both_sign_a_person_on() -> None:
    pin_hash = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("1111")
    assert Person("kim", Role.DEALER, pin_hash, certificate="Kim").certificate == "Kim"


async def test_a_revoked_certificate_gets_no_answer_and_another_does(made: House) -> None:
    lost = made.authority.sign("Lost Supervisor")
    tls = replace(made.tls, client_crl=made.authority.revoke(lost))
    async with house(tls=tls, people=EVERYBODY) as here:
        with pytest.raises(httpx.TransportError):
            await here.browser(made.browser(lost)).http.get("/v1/health")
        assert (await here.browser(made.browser(made.person)).http.get("/v1/session")).status_code == 200


async def test_a_certificate_signs_on_eight_times_a_minute_at_most(made: House) -> None:
    async with house(tls=made.tls, people=EVERYBODY) as here:
        answers = [
            (await here.browser(made.browser(made.person)).http.get("/v1/session")).status_code for _ in range(10)
        ]
        assert answers == [200] * 8 + [429] * 2
        assert sum(isinstance(fact.body, PersonSignedOn) for fact in here.table.facts) == 8
        here.clock.at_s += 61
        assert (await here.browser(made.browser(made.person)).http.get("/v1/session")).status_code == 200
