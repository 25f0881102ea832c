"""Simulated devices of a configuration on their ports, with a control socket.

They are given faults by the socket.
"""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, cast

from drivers.sim.faults import TRIGGERS, trigger_for
from drivers.sim.stand import CannotTriggerError, Stand, Trigger, kind_of, plug, unplug
from tablectl.core.faults import CATALOGUE, Code
from tablectl.features.demo.devices import Bench, bench
from tablectl.features.sim.hands import ACTS, Hands, SimError

SOCKET: Final = "sim.sock"
"""The control socket in the runtime folder; only its owner may write to it."""

ASKED_WITHIN_S: Final = 120.0
"""A spin that takes a minute and a half is the longest thing that can be asked for."""

LINE_MAX: Final = 4096

Form = dict[str, Any]


# --- the simulation ---------------------------------------------------------------------------------------------------


class Simulation:
    """The devices at their ports, and what may be done to them.

    Args:
        kinds: the kind of each device.
        stage: the hands at the devices.
    """

    def __init__(self, stands: Mapping[str, Stand], kinds: Mapping[str, str], stage: Bench) -> None:
        self._stands = stands
        self._kinds = kinds
        self.stage = stage
        self._hands = Hands(stage)

    async def do(self, what: Form) -> str:
        """Does what is asked; returns what was done, in words.

        Raises:
            SimError: it can't be done.
        """
        try:
            match what:
                case {"do": "fault", "code": int(code), **rest}:
                    return await self._fault(code, rest.get("device"))
                case {"do": "clear", "code": int(code), **rest}:
                    return await self._clear(code, rest.get("device"))
                case {"do": "unplug" | "plug" as act, "device": str(device)}:
                    await (unplug if act == "unplug" else plug)(self._stands[self._known(device)])
                    return f"{device}: {'unplugged' if act == 'unplug' else 'plugged in'}"
                case {"do": str(act), **rest} if act in ACTS:
                    return await self._hands.do(act, rest)
                case _:
                    raise SimError(f"write fault CODE, clear CODE, unplug DEVICE, plug DEVICE, or {', '.join(ACTS)}")
        except CannotTriggerError as error:
            raise SimError(str(error)) from None

    async def _fault(self, code: int, device: str | None) -> str:
        name, trigger = self._trigger(code, device)
        await trigger.begin(self._stands[name])
        then = f"; it is told with {trigger.needs}" if trigger.needs else ""
        over = "" if trigger.end else "; its cause is over already"
        return f"{name}: fault {code} ({CATALOGUE[Code(code)].key}){then}{over}"

    async def _clear(self, code: int, device: str | None) -> str:
        name, trigger = self._trigger(code, device)
        if trigger.end is None:
            raise SimError(f"the cause of fault {code} is over at once: there is nothing to clear")
        await trigger.end(self._stands[name])
        return f"{name}: the cause of fault {code} is gone"

    def _trigger(self, code: int, device: str | None) -> tuple[str, Trigger]:
        name = self._known(device) if device else self._only(code)
        return name, trigger_for(code, self._kinds[name])

    def _known(self, device: str) -> str:
        if device not in self._stands:
            raise SimError(f"there is no device {device!r}, only: {', '.join(sorted(self._stands))}")
        return device

    def _only(self, code: int) -> str:
        """The one device that can have this fault."""
        kinds = TRIGGERS[Code(code)].kinds if code in TRIGGERS else frozenset(self._kinds.values())
        names = [name for name, kind in self._kinds.items() if kind in kinds]
        if len(names) == 1 or code not in TRIGGERS:
            return names[0]
        missing = f"none of its devices can have fault {code}" if not names else f"one of {', '.join(sorted(names))}"
        raise SimError(f"name the device: {missing}")


@asynccontextmanager
async def simulated(
    devices: Mapping[str, Mapping[str, Any]], folder: Path, speed: float = 1.0
) -> AsyncGenerator[Simulation]:
    """Run the simulators of these devices at their ports in this folder.

    The control socket is next to them.

    Args:
        devices: the tables below `devices` in the configuration.

    Raises:
        OSError: a port or the socket can't be made, or another simulation runs here.
    """
    kinds = {name: kind_of(str(device["kind"]), str(device["protocol"])) for name, device in devices.items()}
    async with bench(devices, folder, speed) as stage:
        stands = {name: Stand(stage.simulators[name], stage.ports[name]) for name in devices}
        simulation = Simulation(stands, kinds, stage)
        async with _controlled(simulation.do, folder / SOCKET):
            yield simulation


@asynccontextmanager
async def practice_bench(devices: Mapping[str, Mapping[str, Any]], folder: Path, speed: float) -> AsyncGenerator[Bench]:
    """A bench as the demo has it, whose devices are also heard at the control socket.

    Args:
        devices: the tables below `devices` in the configuration.
    """
    async with simulated(devices, folder, speed) as simulation:
        yield simulation.stage


@asynccontextmanager
async def _controlled(do: Callable[[Form], Awaitable[str]], path: Path) -> AsyncGenerator[None]:
    """The socket, for as long as the block lasts."""

    async def asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps(await _answer(do, reader)).encode() + b"\n")
        try:
            await writer.drain()
        except ConnectionError:
            pass  # whoever asked didn't wait for the answer
        finally:
            writer.close()

    listening = await asyncio.to_thread(_bound, path)
    async with await asyncio.start_unix_server(asked, sock=listening, limit=LINE_MAX):
        try:
            yield
        finally:
            await asyncio.to_thread(path.unlink, missing_ok=True)


async def _answer(do: Callable[[Form], Awaitable[str]], reader: asyncio.StreamReader) -> Form:
    try:
        return {"done": await do(json.loads(await reader.readline()))}
    except SimError as error:
        return {"error": str(error)}
    except (ValueError, AttributeError, RecursionError):
        return {"error": "a request is one line of JSON"}


def _bound(path: Path) -> socket.socket:
    """Return a socket at `path` for its owner alone.

    One that a dead simulation left behind is removed.
    """
    if path.exists() and _is_alive(path):
        raise OSError(f"another simulation runs here: {path}")
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(path))
    path.chmod(0o600)  # before anybody can connect: it doesn't listen yet
    return listening


def _is_alive(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


async def simulate(
    devices: Mapping[str, Mapping[str, Any]], folder: Path, report: Callable[[str], None], speed: float = 1.0
) -> None:
    """Runs the simulation until a signal ends it."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    async with simulated(devices, folder, speed):
        report(f"simulated in {folder}: {', '.join(sorted(devices))}")
        await stop.wait()


# --- who asks ---------------------------------------------------------------------------------------------------------


def ask(folder: Path, what: Form) -> str:
    """Asks the simulation that runs in this folder; returns what it did, in words.

    Raises:
        SimError: none runs here, or it can't do that.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(ASKED_WITHIN_S)
            asking.connect(str(folder / SOCKET))
            asking.sendall(json.dumps(what).encode() + b"\n")
            answer = cast("dict[str, Any]", json.loads(asking.makefile("rb").readline(LINE_MAX) or b"{}"))
            if not isinstance(answer, dict):  # pyright: ignore[reportUnnecessaryIsInstance]  # a stranger's may be
                raise ValueError("it answers with something else")  # as other nonsense
    except (OSError, ValueError, RecursionError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        msg = f"no simulation answers in {folder} ({why}): start one with tablectl sim run"
        raise SimError(msg) from None
    if "done" not in answer:
        raise SimError(str(answer.get("error", "the simulation ended before it answered")))
    return str(answer["done"])


def faults() -> tuple[tuple[int, str, str, str], ...]:
    """Return every fault that a simulator can have.

    Each has its number, its name, its kinds of devices, and the values it needs.
    """
    return tuple(
        (int(code), CATALOGUE[code].key, " ".join(sorted(trigger.kinds)), trigger.needs)
        for code, trigger in sorted(TRIGGERS.items())
    )
