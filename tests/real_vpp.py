"""Starts a real VPP for tests, with ports named as a test wants them, and removes every trace of it.

VPP_PREFIX names its installation (bin/vpp, share/vpp/api). VPP runs in network and mount namespaces of its own, which
go away with it: ports are af_packet interfaces on veth pairs in there, and so are the Linux devices that linux-cp
makes and the named namespaces that it makes them in.
It shares no code with vppcfg on purpose: it is the second opinion.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

_TOOLS = ("ip", "nsenter", "setpriv", "unshare", "ping")
_VHOST = Path("/dev/vhost-net")
_VHOST_SOURCE = Path(__file__).with_name("real_vpp_vhost.c")
_LARGER_SOURCE = Path(__file__).with_name("startup_vpp.c")
_VLAN_SOURCE = Path(__file__).with_name("real_vpp_vlan.c")
_OWN_FOLDERS = (
    'for own in netns vpp; do mkdir -p /run/$own && mount -t tmpfs none /run/$own || exit; done; exec "$0" "$@"'
)
"""Names of namespaces, and where scripts of operators put their sockets."""
_START_S = 240.0
"""On a kernel that is a program (tests/kernel) it takes more than two minutes beside other work."""
HOST_DEVICES = ("v1", "v2", "v3")
"""Devices of Linux that are there for host-interfaces, each with another end, NAME-peer."""
_STOP_S = 5.0
_STARTUP = """\
unix {{ nodaemon nosyslog log {folder}/vpp.log cli-listen {folder}/cli.sock runtime-dir {folder} poll-sleep-usec 100 }}
api-segment {{ prefix {name} }}
socksvr {{ socket-name {folder}/api.sock }}
statseg {{ socket-name {folder}/stats.sock size 64M }}
memory {{ main-heap-size 1G main-heap-page-size 4k }}
buffers {{ buffers-per-numa 8192 page-size 4k }}
plugins {{ {plugin_path} plugin linux_cp_plugin.so {{ enable }} plugin sflow_plugin.so {{ enable }} {plugins} }}
{cpu}
{extra}
"""


def prefix() -> Path:
    """Return the installation that VPP_PREFIX names."""
    return Path(os.environ.get("VPP_PREFIX", "/nonexistent"))


def release() -> str:
    """Return the release of that installation, such as 25.10."""
    return release_in(prefix())


def release_in(installation: Path) -> str:
    """Return the release of an installation, by the name of VPP's own library."""
    (library,) = (installation / "lib").rglob("libvlib.so.*")
    return library.name.removeprefix("libvlib.so.")


def _with_worker(extra: str) -> str:
    """Return the section that gives VPP a worker, as routers have one: what stops it costs packets.

    It is '' where `extra` has a section of its own, or the machine has one CPU.
    """
    own, *others = sorted(os.sched_getaffinity(0))
    has_section = any(line.split()[:2] == ["cpu", "{"] for line in extra.splitlines())
    return "" if has_section or not others else f"cpu {{ main-core {own} corelist-workers {others[-1]} }}"


def can_do(file: Path) -> bool:
    """Return whether a configuration asks nothing of that installation that came with a later release."""
    command = [sys.executable, "-m", "vppcfg", "check", "-q", "--for", release(), "-c", str(file)]
    return _run(*command).returncode == 0


def skip_reason() -> str | None:
    """Return why no real VPP can be started here, None when one can."""
    if not os.environ.get("VPP_PREFIX"):
        return "no real VPP: VPP_PREFIX names no installation"
    if not os.access(prefix() / "bin/vpp", os.X_OK):
        return f"no real VPP: {prefix() / 'bin/vpp'} is no program"
    if os.geteuid() != 0:
        return "no real VPP: only root may start one"
    if not Path("/dev/net/tun").exists():
        return "no real VPP: the kernel has no /dev/net/tun"
    missing = [tool for tool in (*_TOOLS, *(() if _VHOST.exists() else ("cc",))) if shutil.which(tool) is None]
    return f"no real VPP: the program {missing[0]} is missing" if missing else None


def since(first: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test of what came with a later release than that of the installation."""
    return pytest.mark.skipif(skip_reason() is None and release() < first, reason=f"VPP has it from {first} on")


class RealVpp:
    """One VPP process; `start` and `stop` it, or use it as a context manager."""

    def __init__(
        self,
        *,
        extra: str = "",
        linux_cp: str = "",
        plugins: Sequence[str] = (),
        makes_vlan_devices: bool = False,
        links: Sequence[str] = (),
        cpus: int = 0,
        passes_packets: bool = False,
    ) -> None:
        """`extra` goes into startup.conf as it is, `linux_cp` into its linux-cp section; `plugins` run besides.

        `links` are devices of Linux that are there before VPP starts, each with another end, NAME-peer. With
        `makes_vlan_devices`, LCP pairs on sub-interfaces work on a kernel without 802.1Q too. With `cpus`, VPP believes
        that the machine has so many, and threads are not pinned. With `passes_packets`, packets cross TAPs and LCP
        pairs also where the kernel has no vhost.
        """
        self._passes_packets = passes_packets
        self._cpus = cpus
        self._makes_vlan_devices = makes_vlan_devices
        self._extra = f"{extra}\nlinux-cp {{ {linux_cp} }}" if linux_cp else extra
        self._links = links
        self._plugins = " ".join(f"plugin {name}_plugin.so {{ enable }}" for name in plugins)
        self._process: subprocess.Popen[bytes] | None = None
        self._devices = 0
        self.folder = Path()
        self._client: Any = None

    @property
    def socket_path(self) -> Path:
        return self.folder / "api.sock"

    @property
    def api_dir(self) -> Path:
        """Return the directory of VPP's own API definitions."""
        return prefix() / "share/vpp/api"

    def start(self, ports: Sequence[str] = ()) -> None:
        """Start VPP and make a port for each name; raise RuntimeError when it does not come up."""
        self.folder = Path(tempfile.mkdtemp(prefix="vppcfg-vpp-"))
        try:
            self._launch()
            for number, port in enumerate(ports):
                self._add_port(number, port)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End VPP and remove everything that was made for it; safe to call twice."""
        self._disconnect()
        if self._process is not None:
            self._end(self._process)
            self._process = None
        for left in Path("/dev/shm").glob(f"{self.folder.name}-*"):
            left.unlink(missing_ok=True)
        if self.folder.name:
            shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self, ports: Sequence[str] = ()) -> None:
        """Kill VPP and start it again at the same place, with ports but without configuration."""
        self._client = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        for name in ("api.sock", "cli.sock", "stats.sock"):
            (self.folder / name).unlink(missing_ok=True)
        self._launch()
        for number, port in enumerate(ports):
            self._add_port(number, port)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def cli(self, line: str) -> tuple[int, str]:
        """Run a CLI line over the API and return VPP's code and text."""
        reply = self.client.api.cli_inband(cmd=line)
        return reply.retval, reply.reply

    @property
    def client(self) -> Any:
        """Return a vpp_papi client."""
        if self._client is None:
            self._connect()
        return self._client

    def ip(self, *words: str) -> str:
        """Run `ip` where VPP runs and return its output; raise RuntimeError when it fails."""
        return _checked("nsenter", "--target", str(self.pid), "--net", "--mount", "ip", *words)

    def add_host_device(self, name: str) -> None:
        """Make a Linux device before linux-cp would, for kernels without 802.1Q: linux-cp takes it as it is."""
        self._devices += 1
        self.ip("link", "add", name, "type", "veth", "peer", "name", f"peer{self._devices}")

    def add_netns(self, name: str) -> None:
        """Make a network namespace for LCP pairs, whose name only this VPP sees."""
        self.ip("netns", "add", name)

    @property
    def knows_vlan_devices(self) -> bool:
        """Return whether the kernel can make VLAN devices, which LCP pairs on sub-interfaces need."""
        words = ("link", "add", "link", "probe", "name", "probe.1", "type", "vlan", "id", "1")
        try:
            self.ip("link", "add", "probe", "type", "veth", "peer", "name", "probe-peer")
            self.ip(*words)
        except RuntimeError:
            return False
        finally:
            with contextlib.suppress(RuntimeError):
                self.ip("link", "delete", "probe")
        return True

    @property
    def pid(self) -> int:
        """Return VPP's process id; raise RuntimeError when it does not run."""
        if self._process is None:
            raise RuntimeError("VPP was not started")
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Return whether VPP has ended by itself, and is still to be stopped."""
        return self._process is not None and self._process.poll() is not None

    def _launch(self) -> None:
        folders = [*(prefix() / "lib").glob("*/vpp_plugins"), *(prefix() / "lib").glob("vpp_plugins")]
        path = f"path {folders[0]}" if folders else ""
        startup = self.folder / "startup.conf"
        startup.write_text(
            _STARTUP.format(
                folder=self.folder,
                name=self.folder.name,
                plugin_path=path,
                plugins=self._plugins,
                cpu=_with_worker(self._extra),
                extra=self._extra,
            )
        )
        apart = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-c", self._preparation()]
        command = [*apart, str(prefix() / "bin/vpp"), "-c", str(startup)]
        with (self.folder / "output").open("wb") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=self._environment()
            )
        self._wait_for_sockets(self._process)
        for name in HOST_DEVICES:
            self._add_veth(name)

    def _preparation(self) -> str:
        """Return what a shell does where VPP is about to run, before it becomes VPP."""
        made = [
            f"ip link add {name} up type veth peer name {name}-peer && ip link set {name}-peer up"
            for name in self._links
        ]
        if self._cpus:
            (self.folder / "cpus").write_text(f"0-{self._cpus - 1}\n")
            made.append(f"mount --bind {self.folder}/cpus /sys/devices/system/cpu/online")
        return " && ".join([*made, _OWN_FOLDERS])

    def _environment(self) -> dict[str, str]:
        libraries = stand_ins(self.folder, makes_vlan_devices=self._makes_vlan_devices, is_larger=bool(self._cpus))
        passing = {"VHOST_PASSES_PACKETS": "1"} if self._passes_packets else {}
        return {**os.environ, **libraries, **passing}

    def _wait_for_sockets(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_S
        while not (self.socket_path.exists() and (self.folder / "cli.sock").exists()):
            if process.poll() is not None or time.monotonic() > deadline:
                text = (self.folder / "output").read_text(errors="replace")
                raise RuntimeError(f"VPP did not start: {text[-1000:]}")
            time.sleep(0.05)

    def _add_port(self, number: int, name: str) -> None:
        veth = f"veth{number}"
        self._add_veth(veth)
        mac = f"02:00:00:00:00:{number + 1:02x}"
        for line in (f"create host-interface name {veth} hw-addr {mac}", f"set interface name host-{veth} {name}"):
            retval, text = self.cli(line)
            if retval:
                raise RuntimeError(f"{line}: {text.strip()}")

    def _add_veth(self, name: str) -> None:
        self.ip("link", "add", name, "mtu", "9216", "type", "veth", "peer", "name", f"{name}-peer", "mtu", "9216")
        for end in (name, f"{name}-peer"):
            self.ip("link", "set", end, "up")

    def _connect(self) -> None:
        from vpp_papi import VPPApiClient

        self._client = VPPApiClient(
            apidir=str(self.api_dir), server_address=str(self.socket_path), use_socket=True, read_timeout=30
        )
        self._client.connect("real-vpp")

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._process is not None and self._process.poll() is None:
            client.disconnect()

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def stand_ins(folder: Path, *, makes_vlan_devices: bool, is_larger: bool = False) -> dict[str, str]:
    """Return the variables by which a VPP works on a kernel that lacks what VPP needs; compile what they name.

    TAPs need vhost, and with `makes_vlan_devices` LCP pairs on sub-interfaces need 802.1Q. With `is_larger`, threads
    can be pinned to CPUs that are not there.
    """
    sources = [] if _VHOST.exists() else [_VHOST_SOURCE]
    if makes_vlan_devices and not knows_vlan_devices():
        sources.append(_VLAN_SOURCE)
    if is_larger:
        sources.append(_LARGER_SOURCE)
    libraries = [str(_compiled(source, folder)) for source in sources]
    return {"LD_PRELOAD": ":".join(libraries)} if libraries else {}


def _compiled(source: Path, folder: Path) -> Path:
    library = folder / f"{source.stem}.so"
    _checked("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl")
    return library


@contextlib.contextmanager
def running(ports: Sequence[str], **settings: Any) -> Iterator[RealVpp]:
    """Run a VPP with ports, and what RealVpp takes, within a context."""
    vpp = RealVpp(**settings)
    vpp.start(ports)
    try:
        yield vpp
    finally:
        vpp.stop()


def router_vpp() -> RealVpp:
    """Return a VPP whose Linux sends and receives by LCP pairs; skip the test where VPP drops what Linux sends."""
    if release() == "26.02":
        pytest.skip("linux-cp of VPP 26.02 drops what Linux sends to single hosts")
    return RealVpp(plugins=["linux_nl"], linux_cp="lcp-sync", passes_packets=True)


def knows_vlan_devices() -> bool:
    """Return whether the kernel can make VLAN devices, tried in a network namespace that goes away at once."""
    lines = "ip link add probe type veth peer name probe-peer && ip link add link probe name probe.1 type vlan id 1"
    return _run("unshare", "--net", "sh", "-c", lines).returncode == 0


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _checked(*command: str) -> str:
    done = _run(*command)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
