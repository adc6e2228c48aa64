"""Runs a command on Debian's own kernel, which has 802.1Q, whatever kernel this machine has.

The kernel is Debian's user-mode Linux (package user-mode-linux): a kernel that is a program. It sees the files of this
machine, read-only, and shares nothing else with it: no device, no network, no process. What runs there runs on the CPU
itself, as quickly as here; a machine in QEMU, whose CPU is software, takes twenty times as long.

    python -m tests.kernel.debian_kernel COMMAND...
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "vppcfg-test-kernel"
PACKAGES = ("user-mode-linux", "kmod", "libkmod2", "bird2", "libssh-gcrypt-4")
"""The kernel, what loads its modules, and a routing daemon."""
MODULES = ("8021q", "veth", "tun", "ipv6", "bridge", "mpls_router", "mpls_iptunnel", "vrf")
_TOOLS = ("apt-get", "dpkg-deb", "cc", "ip")
_MEMORY = "4G"
_LIMIT_S = 7200.0
"""By then a run is over."""
_HANDED_ON = ("VPP_PREFIX", "TRANSITIONS", "TRANSITIONS_SEED", "TRANSITIONS_FRESH", "PYTHONDONTWRITEBYTECODE")
_HERE = Path(__file__).parent


class KernelError(Exception):
    """The kernel cannot be started, or did not come to its end."""


def run(command: Sequence[str], limit_s: float = _LIMIT_S) -> int:
    """Run a command in the folder of this one, show what it writes, and return its exit code.

    Raises KernelError when the kernel did not come to its end.
    """
    _check()
    system = installed()
    with tempfile.TemporaryDirectory(prefix="vppcfg-kernel-") as name:
        folder = Path(name)
        (folder / "command").write_text(_script(command))
        _compile(_HERE / "power_off.c", folder / "power_off", "-static")
        _compile(_HERE / "all_registers.c", folder / "all_registers.so", "-shared", "-fPIC")
        _boot(system, folder, limit_s)
        code = folder / "code"
        if not code.is_file():
            raise KernelError("The kernel ended before the command did")
        return int(code.read_text())


def installed() -> Path:
    """Return the folder that has the packages unpacked, which are downloaded the first time."""
    system = CACHE / "system"
    if not system.is_dir():
        unfinished = CACHE / f"unfinished-{os.getpid()}"
        unfinished.mkdir(parents=True)
        download = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *PACKAGES]
        subprocess.run(download, cwd=unfinished, check=True, timeout=600)
        made = unfinished / "system"
        for package in sorted(unfinished.glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", package, made], check=True)
        (loader,) = (path for path in made.rglob("kmod") if path.is_file() and path.parent.name == "bin")
        loader.rename(made / "modprobe")
        (made / "usr/lib/uml/lib").mkdir()
        (made / "usr/lib/uml/lib/modules").symlink_to("../modules")
        made.rename(system)
        shutil.rmtree(unfinished)
    return system


def _check() -> None:
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise KernelError(f"The program {missing[0]} is missing: this needs Debian, a compiler and iproute2")
    if os.geteuid() != 0:
        raise KernelError("Files that root alone may read are read as the one who starts the kernel: run this as root")


def _script(command: Sequence[str]) -> str:
    """Return what a shell runs in there: the command, in this folder, with what it needs of this environment."""
    system = installed()
    environment = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    environment["PATH"] = f"{os.environ['PATH']}:{system / 'usr/sbin'}:/usr/sbin:/sbin"
    environment["LIBRARIES"] = str(system / "usr/lib/x86_64-linux-gnu")
    settings = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())
    return f"{settings}cd {shlex.quote(os.getcwd())}\n{shlex.join(command)}\n"


def _compile(source: Path, target: Path, *options: str) -> None:
    subprocess.run(["cc", "-O1", *options, "-o", target, source, "-ldl"], check=True)


def _boot(system: Path, folder: Path, limit_s: float) -> None:
    words = [
        str(system / "usr/bin/linux.uml"),
        f"mem={_MEMORY}",
        "rootfstype=hostfs",
        "ro",
        "quiet",
        "loglevel=1",
        "con=null",
    ]
    words += ["con0=null,fd:1", "panic=-1", f"init={_HERE / 'init.sh'}"]
    words += [f"FOLDER={folder}", f"SYSTEM={system}", f"MODULES={','.join(MODULES)}"]
    environment = {**os.environ, "LD_PRELOAD": str(folder / "all_registers.so"), "TMPDIR": "/dev/shm"}
    with subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise KernelError(f"The command has not ended within {limit_s:.0f} s") from None
        finally:
            _end_all(process.pid)


def _end_all(session: int) -> None:
    """End the processes that the kernel consists of, which all are in a session of their own."""
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        return


def main() -> int:
    """Run the command that the command line names."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        return run(sys.argv[1:])
    except KernelError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
