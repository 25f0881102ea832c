"""Demo of a whole table without hardware.

It has a private broker, simulated devices, the real daemon, and people at its console.
"""

from tablectl.features.demo.devices import bench
from tablectl.features.demo.options import Options, Ports
from tablectl.features.demo.runner import perform


def demo(options: Options, ports: Ports) -> int:
    """Plays the demo until its rounds are over or somebody ends it.

    Returns:
        The exit status: 0, or 1 where something broke, which one line on standard error names.
    """
    if options.play:
        from tablectl.features.sim.devices import practice_bench  # it is made of this package's devices

        return perform(options, ports, practice_bench)
    return perform(options, ports, bench)
