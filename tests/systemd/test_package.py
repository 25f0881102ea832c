"""The Debian package: what it holds, and that a machine takes it, runs it and keeps its journal through an upgrade.

Where nothing has changed that only packaging reads (`tried.py`), these are in `make deb` and `make proof` only.
"""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.manifest import SIGNER
from tablectl.daemon.host.program import verify
from tablectl.daemon.signing.keys import make_private, read_signing_key
from tablectl.proof.note import verifier_key
from tests.support.patience import SCALE
from tests.systemd.tried import is_tried

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), *([pytest.mark.long] if is_tried() else [])]

REPOSITORY = Path(__file__).parents[2]
OVERLAY = Path(__file__).parent / "overlay.sh"

Inside = Callable[[str], str]

SHIPPED = "/usr/lib/tablectl/lib/python3*/site-packages/tablectl/shipped/tables"

RUN = """
run() {
    setpriv --reuid tablectl --regid tablectl --clear-groups \\
        env STATE_DIRECTORY=/var/lib/tablectl/q1 RUNTIME_DIRECTORY=/run/q1 \\
        tablectl run --config /etc/tablectl/q1.toml >/mnt/log 2>&1 &
    daemon=$!
    for try in $(seq 150); do grep -q '"ready"' /mnt/log && break; kill -0 $daemon || break; sleep 0.1; done
    grep -q '"ready"' /mnt/log || { cat /mnt/log; exit 1; }
}
end() { kill $daemon; wait $daemon; }
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built as `make deb` builds it, and looked at by lintian."""
    built = tmp_path_factory.mktemp("deb")
    make_private(built.parent / "release.pem")
    quick = {**os.environ, "COMPRESSION": "-Zgzip -z1", "RELEASE_KEY": str(built.parent / "release.pem")}
    done = subprocess.run(
        [REPOSITORY / "scripts" / "deb.sh", built], env=quick, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return next(built.glob("tablectl_*.deb"))


@pytest.fixture(scope="module")
def inside(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """Runs a script where the package lies at /mnt/tablectl.deb, and nothing that it does stays."""
    if os.geteuid() != 0:
        pytest.skip("installing a package wants root: sudo make test")
    tmp_path = tmp_path_factory.mktemp("inside")
    (tmp_path / "tablectl.deb").write_bytes(package.read_bytes())

    def run(script: str) -> str:
        (tmp_path / "script").write_text(script)
        command = ["unshare", "--mount", "--propagation", "private", "/bin/sh", str(OVERLAY), str(tmp_path), "script"]
        clean = {**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        done = subprocess.run(command, env=clean, capture_output=True, text=True, check=False, timeout=300 * SCALE)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_nothing_in_the_package_names_the_machine_that_built_it(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    named = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and not path.is_symlink() and str(REPOSITORY).encode() in path.read_bytes()
    ]
    assert named == []


def test_package_is_as_signed_from_outside(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    signer = read_signing_key(package.parents[1] / "release.pem")
    outcome = verify(tmp_path, key=verifier_key(SIGNER, signer.public))
    assert (outcome.result, outcome.findings) == ("ok", ())


def test_lintian_overrides_each_say_why(package: Path) -> None:
    lines = (REPOSITORY / "systemd" / "debian" / "tablectl.lintian-overrides").read_text().splitlines()
    assert lines[0].startswith("#")
    assert all(re.match(r"#|tablectl: [a-z-]+ ", line) for line in lines)


@pytest.fixture(scope="module")
def told(inside: Inside) -> dict[str, str]:
    """What a machine says that is given the package, runs a table, is given it again, and then loses it; by step."""
    said = inside(
        RUN
        + f"""
        dpkg -i /mnt/tablectl.deb >/dev/null
        echo "== installed"
        getent passwd tablectl
        stat -c '%a %U %G' /etc/tablectl
        ls /lib/systemd/system/tablectl@.service /lib/udev/rules.d/99-tablectl.rules
        tablectl --version
        tablectl verify-program
        /usr/lib/tablectl/bin/python3 -I -c 'import psycopg, textual; print("view and recorder")'
        ls /usr/share/bash-completion/completions/tablectl
        tablectl check-config {SHIPPED}/q-poker.example.toml
        systemd-analyze verify /lib/systemd/system/tablectl@.service
        echo "== run"
        install -d -o tablectl -g tablectl -m 700 /var/lib/tablectl /var/lib/tablectl/q1 /run/q1
        install -o root -g tablectl -m 640 {SHIPPED}/chinese-dice.demo.toml /etc/tablectl/q1.toml
        sed -i 's/^listen.*/listen = "127.0.0.1:0"/' /etc/tablectl/q1.toml
        run; end
        ls /var/lib/tablectl/q1; sha256sum /var/lib/tablectl/q1/log.key
        dpkg -i /mnt/tablectl.deb >/dev/null
        echo "== upgraded"
        ls /var/lib/tablectl/q1; sha256sum /var/lib/tablectl/q1/log.key
        echo "== run again"
        run; end
        tablectl journal verify /var/lib/tablectl/q1
        echo "== purged"
        dpkg --purge tablectl
        echo "== left"
        ls /var/lib/tablectl/q1
        ! ls /usr/lib/tablectl 2>/dev/null
        """
    )
    steps = re.split(r"^== (.*)\n", said, flags=re.MULTILINE)
    return dict(zip(steps[1::2], steps[2::2], strict=True))


def test_it_installs_user_folder_unit_and_udev_rules(told: dict[str, str]) -> None:
    said = told["installed"]
    assert re.search(r"tablectl:x:\d+:\d+:.*:/var/lib/tablectl:/usr/sbin/nologin", said)
    assert "751 root tablectl" in said
    assert "view and recorder" in said
    assert "/lib/udev/rules.d/99-tablectl.rules" in said
    assert "q-poker.example.toml: ok" in said
    assert re.search(r"version \S+: all \d+ files are as signed", said)


def test_an_upgrade_keeps_the_journal_and_the_key(told: dict[str, str]) -> None:
    assert "log.key" in told["run"]
    assert told["upgraded"] == told["run"]
    assert "/var/lib/tablectl/q1: whole" in told["run again"]


def test_a_purge_keeps_the_journal_and_the_key(told: dict[str, str]) -> None:
    assert "journals and keys stay in /var/lib/tablectl" in told["purged"]
    assert {"journal.db", "log.key", "log.pub"} <= set(told["left"].split())
