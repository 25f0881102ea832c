"""The simulated shuffler in a process of its own: `python -m bench.shuffler PATH`."""

import asyncio
import signal
import sys
from pathlib import Path

from drivers.sim.pty import PtyEnd
from drivers.sim.shuffler import SimulatedShuffler


async def _serve(path: Path) -> None:
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    port = PtyEnd(link=path)
    await port.plug()
    shuffler = SimulatedShuffler(port)
    await told.wait()
    shuffler.close()
    await port.unplug()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
