"""A whole table without hardware: private broker, simulated devices, real daemon, people at its console."""

from tablectl.tools.demo.devices import bench
from tablectl.tools.demo.options import Options as Options
from tablectl.tools.demo.options import Ports as Ports
from tablectl.tools.demo.stage import perform


def demo(options: Options, ports: Ports) -> int:
    """Plays the demo until its rounds are over or somebody ends it.

    Returns:
        The exit status: 0, or 1 where something broke, which one line on standard error names.
    """
    return perform(options, ports, bench)
