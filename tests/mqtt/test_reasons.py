"""Each reason code of a broker has its own words and its own advice, in every language."""

from contextlib import aclosing
from dataclasses import replace

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from tablectl.mqtt.client import BrokerAwayError, BrokerHungUpError, BrokerRefusedError, Connection
from tablectl.mqtt.reasons import described
from tablectl.mqtt.settings import BrokerSettings
from tablectl.words import LANGUAGES, Language, catalogue
from tablectl.words.reason import reason
from tests.support.mqtt_server import MqttServer, ending, refusing, refusing_311

PACKETS = {PacketTypes.CONNACK, PacketTypes.DISCONNECT}
CODES = sorted(
    code
    for code, names in ReasonCode.names.items()
    if code >= 0x80 and any(PACKETS & set(packets) for packets in names.values())
)
"""All that the standard (sections 3.2.2.2 and 3.14.2.1) knows as refusals and as errors."""

KEY = "heard.code.x{:02x}"


async def told(server: MqttServer, *, mqtt5: bool = True) -> BrokerAwayError | BrokerRefusedError:
    """What an attempt to connect, and then to read, ends with."""
    settings = BrokerSettings("127.0.0.1", server.port, timeout_s=20, mqtt5=mqtt5)
    try:
        async with Connection(settings, "c") as connection, aclosing(connection.messages()) as messages:
            async for _ in messages:
                pass
    except (BrokerAwayError, BrokerRefusedError) as error:
        return error
    raise AssertionError("the connection ended without an error")


@pytest.mark.parametrize("code", CODES)
async def test_refusal_and_end_of_each_code_carry_their_own_advice(code: int) -> None:
    server = MqttServer(connack=refusing(code))
    async with server.listening():
        refused = str(await told(server))
        server.connack, server.goodbye = MqttServer().connack, ending(code)
        parted = await told(server)
    own, words = described(code), catalogue("en")
    assert (own.said, own.advice) == (words[KEY.format(code)], words[f"heard.advice.x{code:02x}"])
    assert f"(0x{code:02x})" in own.said
    broker = f"the broker at 127.0.0.1:{server.port}"
    assert refused == f"{broker} doesn't let us in ({own.said}): {own.advice}"
    assert str(parted) == f"{broker} hung up ({own.said}): {own.advice}"
    assert isinstance(parted, BrokerHungUpError)
    assert parted.code == code


def test_no_two_codes_have_one_text_or_one_advice() -> None:
    for language in LANGUAGES:
        for family in ("heard.code.", "heard.advice."):
            texts = [text for key, text in catalogue(language).items() if key.startswith(family) and key[-4:] != "none"]
            own = [text for text in texts if text != catalogue(language).get(f"{family}other")]
            assert len(own) == len(set(own)) >= len(CODES)


@pytest.mark.parametrize(("code", "same"), [(1, 0x84), (2, 0x85), (3, 0x88), (4, 0x86), (5, 0x87)])
async def test_return_code_of_the_older_version_means_the_same(code: int, same: int) -> None:
    async with MqttServer(connack=refusing_311(code)).listening() as server:
        said = str(await told(server, mqtt5=False))
    assert said.endswith(f"doesn't let us in ({described(same).said}): {described(same).advice}")


async def test_broker_that_knows_only_older_version_says_so_to_newer() -> None:
    async with MqttServer(connack=refusing_311(1)).listening() as server:
        assert described(0x84).advice in str(await told(server))


async def test_code_that_no_standard_has_is_told_by_its_number() -> None:
    async with MqttServer(connack=refusing(0xFE)).listening() as server:
        assert str(await told(server)).endswith("doesn't let us in (reason 0xfe): look into its log for this number")


@pytest.mark.parametrize(
    ("code", "kind"), [(0x88, BrokerAwayError), (0x89, BrokerAwayError), (0x9A, BrokerRefusedError)]
)
async def test_refusal_that_ends_by_itself_is_waited_for(code: int, kind: type[Exception]) -> None:
    async with MqttServer(connack=refusing(code)).listening() as server:
        assert type(await told(server)) is kind


async def test_unexplained_hang_up_is_named_before_and_after_connecting() -> None:
    server = MqttServer(goodbye=b"")
    async with server.listening():
        after = str(await told(server))
        server.most = 1
        before = str(await told(server))
    assert before == after == f"the broker at 127.0.0.1:{server.port} hung up (without a reason): look into its log"


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_reason_is_told_again_in_each_language(language: Language) -> None:
    english = described(0x9A)
    said = f"the broker at b:1883 doesn't let us in ({english.said}): {english.advice}"
    again = reason(said, language)
    words = catalogue(language)
    assert words["heard.code.x9a"] in again
    assert words["heard.advice.x9a"] in again
    assert reason(f"the broker at b:1883 hung up ({english.said}): {english.advice}", language).count("b:1883") == 1


async def test_secret_of_the_login_is_in_no_reason() -> None:
    async with MqttServer(connack=refusing(0x86)).listening() as server:
        settings = replace(BrokerSettings("127.0.0.1", server.port), username="table", password="s3cret")
        with pytest.raises(BrokerRefusedError) as refused:
            async with Connection(settings, "c"):
                pass
    assert "s3cret" not in str(refused.value)
