"""One target under atheris: `python -m tests.fuzz.guided TARGET FOLDER [libFuzzer's options]`."""

import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Fuzzes until the time is up, or until an input is dealt with wrongly."""
    atheris: Any = import_module("atheris")
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["tablectl", "drivers"]):
        targets = import_module("tests.fuzz.targets").TARGETS
    atheris.Setup(sys.argv, targets[name].judge)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
