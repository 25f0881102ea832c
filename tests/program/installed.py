"""A small installed tree with a signed manifest."""

from pathlib import Path
from typing import Final

from scripts.manifest import SIGNER, main
from tablectl.daemon.signing.keys import make_private
from tablectl.proof.note import verifier_key

HOME: Final = "usr/lib/tablectl"
FILES: Final = {
    f"{HOME}/lib/site-packages/tablectl/core/money.py": b"HUNDRED = 100\n" * 60,
    f"{HOME}/lib/site-packages/tablectl/core/__pycache__/money.cpython-311.pyc": bytes(range(256)) * 2,
    f"{HOME}/lib/site-packages/tablectl/shipped/rules/q_poker.toml": b"[pay]\npair = 1\n" * 9,
    f"{HOME}/lib/site-packages/tablectl/console/static/dealer.js": b"'use strict';\n" * 20,
    f"{HOME}/lib/site-packages/tablectl/words/pt.toml": 'título = "Aposta"\n'.encode() * 12,
    f"{HOME}/lib/site-packages/apsw/lib name.so": b"\x7fELF" + bytes(800),
    f"{HOME}/pyvenv.cfg": b"home = /usr/bin\n",
    "lib/systemd/system/tablectl@.service": b"[Service]\nExecStart=/usr/bin/tablectl run\n",
    "lib/udev/rules.d/99-tablectl.rules": b'SUBSYSTEM=="tty", MODE="0660"\n',
    "usr/lib/tmpfiles.d/tablectl.conf": b"d /etc/tablectl 0751 root tablectl -\n",
}
"""A file of each kind that the package installs."""


def install(root: Path, *, is_signed: bool = True) -> str:
    """Write the tree and its manifest; return the release key, empty where nobody signed."""
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o644)
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/tablectl").symlink_to("../lib/tablectl/bin/tablectl")
    if not is_signed:
        main(root, "1.2.3", None)
        return ""
    signer = make_private(root.parent / f"{root.name}.pem")
    main(root, "1.2.3", root.parent / f"{root.name}.pem")
    return verifier_key(SIGNER, signer.public)
