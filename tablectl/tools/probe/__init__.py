"""One device looked at without a game: who it is, what comes over its wire, and each fact as it comes."""

from tablectl.tools.probe.options import DeviceEndedError as DeviceEndedError
from tablectl.tools.probe.options import Options as Options
from tablectl.tools.probe.options import Ports as Ports
from tablectl.tools.probe.options import Watcher as Watcher
from tablectl.tools.probe.session import probe as probe
