"""The program installed as the Debian package installs it, below a folder, and signed by a key made for this once."""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from scripts.manifest import main as write_manifest
from tablectl.daemon.signing.keys import make_private
from tablectl.program_check import PLACE

PROGRAM: Final = "tablectl"
CHECKOUT: Final = Path(__file__).parents[1]
UNLISTED: Final = shutil.ignore_patterns("__pycache__")


def install(folder: Path) -> Path:
    """Install program and libraries below a folder, compiled and signed.

    Returns:
        Its Python.
    """
    root = folder / "root"
    home = root / Path(PLACE).parent
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    for library in _libraries(PROGRAM, {PROGRAM}):
        _copy(library, packages)
    for name, place in (("tablectl", "tablectl"), ("drivers", "drivers"), ("config", "tablectl/shipped")):
        shutil.copytree(CHECKOUT / name, packages / place, ignore=UNLISTED)
    compiled = ("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
    subprocess.run([sys.executable, *compiled, packages], check=True)
    key = folder / "release.pem"
    make_private(key)
    write_manifest(root, distribution(PROGRAM).version, key)
    return home / "bin" / "python"


def _libraries(name: str, seen: set[str]) -> Iterator[Distribution]:
    """Yield what a distribution needs without its extras, and what that needs."""
    for requirement in map(Requirement, distribution(name).requires or ()):
        if requirement.name not in seen and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            seen.add(requirement.name)
            yield distribution(requirement.name)
            yield from _libraries(requirement.name, seen)


def _copy(library: Distribution, packages: Path) -> None:
    for file in library.files or ():
        if ".." not in file.parts and file.suffix != ".pyc":
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(Path(str(file.locate())), target)
