import asyncio
import os
import tty
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from drivers.sim.pty import GARBLE, PtyEnd
from tests.support.patience import PATIENCE_S


@pytest.fixture
async def end(tmp_path: Path) -> AsyncIterator[PtyEnd]:
    end = PtyEnd(link=tmp_path / "port")
    await end.plug()
    yield end
    await end.unplug()


def host(end: PtyEnd) -> int:
    fd = os.open(end.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(fd)
    return fd


def read_now(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except BlockingIOError:
        return b""


async def read(fd: int, count: int) -> bytes:
    """At least `count` bytes: the kernel passes them on in its own time."""
    got, readable = b"", asyncio.Event()
    asyncio.get_running_loop().add_reader(fd, readable.set)
    async with asyncio.timeout(PATIENCE_S):
        while len(got) < count:
            await readable.wait()
            readable.clear()
            got += read_now(fd)
    asyncio.get_running_loop().remove_reader(fd)
    return got


async def test_garble_damages_only_the_next_bytes(end: PtyEnd) -> None:
    fd = host(end)
    end.garble(3)
    end.write(b"ab")
    end.write(b"cd")
    assert await read(fd, 4) == bytes(byte ^ GARBLE for byte in b"abc") + b"d"
    os.close(fd)


async def test_injected_bytes_are_not_garbled(end: PtyEnd) -> None:
    fd = host(end)
    end.garble(1)
    end.inject(b"x")
    end.write(b"y")
    assert await read(fd, 2) == b"x" + bytes((ord("y") ^ GARBLE,))
    os.close(fd)


async def test_a_stall_holds_back_and_then_bursts(end: PtyEnd) -> None:
    fd = host(end)
    end.stall()
    end.write(b"one")
    end.write(b"two")
    assert bytes(end._held or b"") == b"onetwo"
    assert read_now(fd) == b""
    end.resume()
    end.write(b"three")
    assert await read(fd, 11) == b"onetwothree"
    os.close(fd)


async def test_host_that_closes_is_no_hang_up_for_the_device(end: PtyEnd) -> None:
    os.close(host(end))
    end.write(b"kept")
    fd = os.open(end.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    assert await read(fd, 4) == b"kept"
    os.close(fd)


async def test_unplugging_hangs_up_and_takes_the_name_away(end: PtyEnd) -> None:
    fd = host(end)
    await end.unplug()
    with pytest.raises(OSError, match="Input/output error"):
        os.write(fd, b"x")
    assert not end.path.is_symlink()
    assert not end.path.is_symlink()
    end.write(b"lost")
    os.close(fd)


async def test_plugging_in_again_moves_the_name_to_a_new_port(end: PtyEnd) -> None:
    fd = host(end)
    before = end.path.readlink()
    keeper = os.openpty()
    await end.unplug()
    await end.plug()
    again = host(end)
    end.write(b"new")
    assert await read(again, 3) == b"new"
    assert end.path.readlink() != before
    for each in (fd, again, *keeper):
        os.close(each)


async def test_closing_cleanly_waits_for_the_reader(end: PtyEnd) -> None:
    fd = host(end)
    end.write(b"last words")
    got: list[bytes] = []
    loop = asyncio.get_running_loop()
    take: Callable[[], None] = lambda: got.append(read_now(fd))  # noqa: E731
    loop.call_later(0.02, take)
    await end.close()
    assert got == [b"last words"]
    assert not end.path.is_symlink()
    os.close(fd)


async def test_closing_does_not_wait_for_ever(end: PtyEnd) -> None:
    fd = host(end)
    end.write(b"never read")
    await end.close(timeout_s=0.01)
    assert not end.path.is_symlink()
    os.close(fd)


async def test_more_than_the_kernel_holds_arrives_when_the_host_reads(end: PtyEnd) -> None:
    fd = host(end)
    data = bytes(range(256)) * 400
    end.write(data)
    assert end.unread() > 0
    assert await read(fd, len(data)) == data
    assert end.unread() == 0
    os.close(fd)
