"""One connection to the broker.

What aiomqtt keeps to itself is taken from the paho client inside it: a PUBACK's reason code, the broker's
Receive Maximum, and a write that goes to the socket at once, not two turns of the loop later.
"""

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Final, NoReturn, cast

import aiomqtt
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from tablectl.mqtt.flow import REFUSED_FROM
from tablectl.mqtt.incoming import Incoming
from tablectl.mqtt.message import CLOUDEVENT, PUBLISH, Message, MessageProperties, Will, publish_packet
from tablectl.mqtt.reasons import KEEP_ALIVE_TIMEOUT, PASSING, code_of, described
from tablectl.mqtt.settings import BrokerSettings, Tls
from tablectl.network import begin, connect
from tablectl.tls_files import no_pass_phrase

WINDOW: Final = 20
"""Messages in flight at most, also where the broker would take more."""

LARGEST: Final = 268_435_455
"""Bytes of a packet of MQTT at most."""

_NUMBER: Final = re.compile(r"\[Errno -?\d+\] ")
"""What only programmers know a system's error by; its words stand beside it."""


class BrokerError(Exception):
    """The broker can't be used; the text is one line and says what to do."""


class BrokerAwayError(BrokerError):
    """No broker answers, or it stopped answering: time or a technician will help."""


class BrokerHungUpError(BrokerAwayError):
    """The broker ended a connection.

    Args:
        code: the reason code of its DISCONNECT, or None where it sent none.
    """

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        self.code = code


class BrokerRefusedError(BrokerError):
    """The broker refuses us: a person has to change a setting, here or there."""


class Connection:
    """One connection, from `async with` to its end: clean start, QoS 1, never reused.

    Args:
        client_id: the broker closes an older connection with the same one.
        will: the message of the broker when the connection ends without a DISCONNECT.
        largest: bytes of a message that the broker may bring us; None takes any. MQTT 3.1.1 has no such limit.

    Attributes:
        answered: set it to be given each PUBACK's message id and reason code, in the loop.
        window: how many answers the broker lets be outstanding; known once connected.
        takes: bytes of a message that the broker takes; known once connected.
    """

    def __init__(
        self, settings: BrokerSettings, client_id: str, *, will: Will | None = None, largest: int | None = None
    ) -> None:
        self.answered: Callable[[int, int], None] | None = None
        self.window = WINDOW
        self.takes = LARGEST
        self._settings = settings
        self._name = f"the broker at {settings.address}"
        self._loop = asyncio.get_running_loop()
        self._client = _client(settings, client_id, will, largest)
        self._paho: PahoClient = self._client._client  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        self._incoming = Incoming(self._paho, mqtt5=settings.mqtt5)
        self._socket: socket.socket | None = None
        self._greeting: Future[None] | None = None
        self._waiting: asyncio.Timeout | None = None
        self._publishing = False
        self._writing = False
        self._lost = False
        self._refusal = 0  # reason codes of its CONNACK and its DISCONNECT
        self._parting: int | None = None
        self._hook()

    async def __aenter__(self) -> "Connection":
        """Connects.

        Raises:
            BrokerAwayError: nobody answers, or not in time.
            BrokerRefusedError: the broker doesn't let us in.
        """
        try:
            await self._connect()
        except BaseException:
            await self._abandon()
            raise
        # In the place of aiomqtt's writer in the loop, which wakes the loop for every packet.
        self._paho.on_socket_register_write = self._on_register_write
        self._paho.on_socket_unregister_write = self._on_unregister_write
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Says goodbye, so that the will isn't published; after an error just hangs up."""
        try:
            if error is None and not self._lost:
                await self._client.__aexit__(None, None, None)
        except aiomqtt.MqttError:
            pass  # It went while we said goodbye; there is nothing left to do about it.
        finally:
            await self._abandon()

    def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, properties: MessageProperties | None = None
    ) -> int:
        """Writes a message to the socket, QoS 1, and returns its id.

        The caller keeps to `window`: as many answers may be outstanding, over all that is published.

        Raises:
            BrokerAwayError: the connection is gone.
        """
        number = self._paho._mid_generate()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        packed = properties.pack() if properties else b"\0"
        packet = publish_packet(topic, payload, number, packed if self._settings.mqtt5 else b"", retain=retain)
        self._write(packet, number)
        if self._paho.socket() is None:
            raise self._hung_up()
        return number

    @contextmanager
    def together(self) -> Generator[None]:
        """Send what is published inside in as few TCP segments as hold it."""
        open_socket = self._paho.socket()
        try:
            _cork(open_socket, on=True)
            yield
        finally:
            _cork(open_socket, on=False)

    async def subscribe(self, filters: Sequence[str], *, qos: int = 1, hear_self: bool = True) -> None:
        """Subscribes; what comes is in `messages`.

        Args:
            qos: 1, or 0 where what is lost is asked for anyway.
            hear_self: whether our own publishes come back too. MQTT 3.1.1 always brings them.

        Raises:
            BrokerAwayError: no answer in time.
            BrokerRefusedError: the broker keeps one of the topics from us.
        """
        options = SubscribeOptions(qos, noLocal=not hear_self) if self._settings.mqtt5 else None
        for name in filters:
            try:
                codes = await self._client.subscribe(name, 0 if options else qos, options)
            except aiomqtt.MqttError as error:
                raise self._failed(error) from None
            if any(_value(code) >= REFUSED_FROM for code in codes):
                raise BrokerRefusedError(f"{self._name} doesn't let us read {name}: check its ACL")

    async def messages(self) -> AsyncGenerator[Message]:
        """Yield the messages of the subscriptions, until the connection ends.

        Raises:
            BrokerAwayError: it ended.
        """
        ended = self._client._disconnected  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        while await self._incoming.wait(ended):
            yield self._incoming.next()
        self._lost = True
        raise self._failed(ended.exception() or aiomqtt.MqttError("disconnected")) from None

    # --- connecting

    async def _connect(self) -> None:
        try:
            async with asyncio.timeout(self._settings.timeout_s) as self._waiting:
                await self._greet()
        except (TimeoutError, aiomqtt.MqttError, OSError) as error:
            raise self._failed(error) from None
        finally:
            self._waiting = None

    async def _greet(self) -> None:
        """Open the socket and shake hands; aiomqtt would in asyncio's own threads."""
        self._socket = await connect(self._settings.host, self._settings.port)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client_connect = self._client._client_connect  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        self._greeting = begin(f"greet {self._settings.address}", client_connect)
        await asyncio.wrap_future(self._greeting)
        await self._client._connected  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

    def _encrypted(self, connection: socket.socket) -> ssl.SSLSocket:
        """The connection under TLS; in the thread that greets."""
        context: ssl.SSLContext = cast("Any", self._paho)._ssl_context  # noqa: SLF001
        host = self._settings.host
        self._socket = encrypted = context.wrap_socket(connection, server_hostname=host, do_handshake_on_connect=False)
        encrypted.settimeout(self._settings.timeout_s)
        encrypted.do_handshake()
        return encrypted

    def _hook(self) -> None:
        """Stands between paho and aiomqtt where aiomqtt drops what we need."""
        connected, disconnected = self._paho.on_connect, self._paho.on_disconnect

        def on_connect(client: Any, data: Any, flags: Any, reason: Any, properties: Any = None) -> None:
            self._waiting = None  # the answer has its own way to whoever waits; a hang-up after it ends no wait
            self.window = min(WINDOW, getattr(properties, "ReceiveMaximum", WINDOW))
            self.takes = getattr(properties, "MaximumPacketSize", LARGEST)
            cast("Any", connected)(client, data, flags, reason, properties)

        def on_disconnect(client: Any, data: Any, flags: Any, reason: Any, properties: Any = None) -> None:
            self._lost = True
            if self._waiting is not None:  # aiomqtt would wait for a CONNACK until its timeout
                self._waiting.reschedule(self._loop.time())
            cast("Any", disconnected)(client, data, flags, reason, properties)

        self._paho.on_connect = on_connect
        self._paho.on_disconnect = on_disconnect
        self._paho.connect_timeout = self._settings.timeout_s
        self._paho.disable_logger()  # whatever matters comes as an error
        self._hook_packets()

    def _hook_packets(self) -> None:
        """Replace how paho opens a connection, and read what it drops of packets."""
        paho = cast("Any", self._paho)
        handle_connack, handle_disconnect = paho._handle_connack, paho._handle_disconnect  # noqa: SLF001

        def on_connack() -> Any:
            """Read the CONNACK's code itself: paho drops some, and stumbles over odd ones."""
            self._refusal = code_of(paho._in_packet["packet"][1])  # noqa: SLF001
            if self._refusal and self._waiting is not None:
                self._waiting.reschedule(self._loop.time())
            return handle_connack()

        def on_puback(_kind: str) -> MQTTErrorCode:
            """Take it here: paho gives up at some codes, as mosquitto's 0x95."""
            packet = paho._in_packet["packet"]  # noqa: SLF001
            if self.answered is not None:
                self.answered(int.from_bytes(packet[:2], "big"), packet[2] if len(packet) > 2 else 0)
            return MQTTErrorCode.MQTT_ERR_SUCCESS

        def on_disconnect_packet() -> Any:
            self._parting = next(iter(paho._in_packet["packet"]), 0)  # noqa: SLF001
            return handle_disconnect()

        paho._handle_connack = on_connack  # noqa: SLF001
        paho._handle_pubackcomp = on_puback  # noqa: SLF001
        paho._handle_disconnect = on_disconnect_packet  # noqa: SLF001
        paho._create_socket_connection = lambda: self._socket  # noqa: SLF001
        paho._ssl_wrap_socket = self._encrypted  # noqa: SLF001

    async def _abandon(self) -> None:
        """Closes the socket; also one that the connecting thread opens from now on."""
        self._paho.on_socket_open = _refuse_socket
        self._paho.on_socket_register_write = None
        await asyncio.sleep(0)  # what that thread has asked of the loop comes first
        self._paho._sock_close()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # ends the thread's wait, where it still waits
            if self._greeting is None:
                self._socket.close()
            else:
                self._greeting.add_done_callback(lambda _: cast("socket.socket", self._socket).close())
        ended = self._client._disconnected  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if ended.done():
            ended.exception()  # asyncio complains of one that nobody has looked at
        task = self._client._misc_task  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait([task])

    # --- writing

    def _write(self, packet: bytes, number: int) -> None:
        """Give a packet to the socket, and what the socket doesn't take to paho."""
        paho = cast("Any", self._paho)
        try:
            sent = 0 if paho.want_write() else paho._sock_send(packet)  # noqa: SLF001
        except OSError:
            sent = 0  # paho tries it again, and finds out what is wrong
        if sent == len(packet):
            return
        self._publishing = True
        try:
            paho._packet_queue(PUBLISH, packet[sent:], number, 1)  # noqa: SLF001
            paho.loop_write()
        finally:
            self._publishing = False
        if paho.want_write():
            self._write_when_possible()

    def _on_register_write(self, _client: Any, _data: Any, _socket: Any) -> None:
        if not self._publishing:
            self._write_when_possible()

    def _on_unregister_write(self, _client: Any, _data: Any, done: Any) -> None:
        if self._writing:
            self._writing = False
            self._loop.remove_writer(done.fileno())

    def _write_when_possible(self) -> None:
        """Lets the loop write what the socket didn't take."""
        open_socket = self._paho.socket()
        if open_socket is not None:
            self._writing = True
            self._loop.add_writer(open_socket.fileno(), self._paho.loop_write)

    # --- what went wrong

    def _failed(self, error: BaseException) -> BrokerError:
        """The reason why there is no connection, or none any more."""
        if self._refusal:
            return self._refused(self._refusal)
        if isinstance(error, aiomqtt.MqttCodeError) and _value(error.rc) == KEEP_ALIVE_TIMEOUT and not self._parting:
            return self._away("no answer in time")
        if self._lost:
            return self._hung_up()
        return self._away("no answer in time" if isinstance(error, TimeoutError) else error)

    def _away(self, reason: object) -> BrokerAwayError:
        said = _NUMBER.sub("", str(reason)) or type(reason).__name__
        advice = "check that it runs and that the address is right"
        if "certificate" in said.lower() or "ssl" in said.lower():
            advice = "check its certificate and our settings for TLS"
        return BrokerAwayError(f"{self._name} doesn't answer ({said}): {advice}")

    def _hung_up(self) -> BrokerHungUpError:
        reason = described(self._parting)
        return BrokerHungUpError(f"{self._name} hung up ({reason.said}): {reason.advice}", self._parting)

    def _refused(self, code: int) -> BrokerError:
        reason = described(code)
        kind = BrokerAwayError if code in PASSING else BrokerRefusedError
        return kind(f"{self._name} doesn't let us in ({reason.said}): {reason.advice}")


def _property(packet: int, name: str, value: object) -> Properties:
    given = cast("Any", Properties)(packet)
    setattr(given, name, value)
    return cast("Properties", given)


def _client(settings: BrokerSettings, client_id: str, will: Will | None, largest: int | None) -> aiomqtt.Client:
    version = aiomqtt.ProtocolVersion
    form = _property(PacketTypes.WILLMESSAGE, "ContentType", CLOUDEVENT)
    is_limited = settings.mqtt5 and largest is not None
    return aiomqtt.Client(
        settings.host,
        settings.port,
        username=settings.username,
        password=settings.password,
        identifier=client_id,
        protocol=version.V5 if settings.mqtt5 else version.V311,
        will=aiomqtt.Will(will.topic, will.payload, qos=1, retain=True, properties=form) if will else None,
        timeout=settings.timeout_s,
        keepalive=settings.keepalive_s,
        properties=_property(PacketTypes.CONNECT, "MaximumPacketSize", largest) if is_limited else None,
        max_inflight_messages=0,  # the caller keeps the window
        tls_params=_tls_parameters(settings.tls) if settings.tls else None,
    )


def _tls_parameters(tls: Tls) -> aiomqtt.TLSParameters:
    # paho hands it to ssl, which takes a function as well; without one, OpenSSL asks at the terminal for ever.
    refusing = cast("str", no_pass_phrase(tls.key or tls.cert)) if tls.cert else None
    return aiomqtt.TLSParameters(ca_certs=tls.ca, certfile=tls.cert, keyfile=tls.key, keyfile_password=refusing)


def _cork(given: object, *, on: bool) -> None:
    if isinstance(given, socket.socket) and given.fileno() >= 0:
        given.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, on)


def _refuse_socket(_client: Any, _data: Any, opened: Any) -> NoReturn:
    opened.close()
    raise ConnectionAbortedError("the connection isn't wanted any more")


def _value(code: object) -> int:
    return int(code.value) if isinstance(code, ReasonCode) else int(cast("int", code))
