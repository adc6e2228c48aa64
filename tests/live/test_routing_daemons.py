"""FRR and BIRD of the distribution beside a real VPP: what changes with it, what stays up, and what comes back.

TAPs carry packets into VPP only with /dev/vhost-net, which not every machine has. So sessions run over a link of Linux
beside VPP, and the routes that they bring lead out of VPP's port.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.real_vpp import RealVpp, release, router_vpp, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

_NEEDED = ("/usr/lib/frr/frr-reload.py", "/usr/sbin/bird")
REASON = skip_reason() or next((f"{path} is missing" for path in _NEEDED if not os.path.exists(path)), None)
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

PORTS = ("port0", "port1")
ROUTE = "10.99.0.0/16"
"""What the neighbour announces."""
SETTLE_S = 60.0
FRR_FOLDER, FRR_SOCKETS = Path("/etc/frr"), Path("/var/run/frr")
SPACE = f"vppcfgtest{os.getpid()}"
"""Of the instance of FRR that a test has for itself."""
FRR = """\
frr defaults traditional
service integrated-vtysh-config
log file /dev/null
router bgp 65001
 bgp router-id 10.0.0.1
 no bgp ebgp-requires-policy
 timers bgp 3 9
 neighbor 10.1.0.2 remote-as {remote}
 neighbor 10.1.0.2 timers connect 2
 address-family ipv4 unicast
  neighbor 10.1.0.2 route-map IN in
 exit-address-family
exit
route-map IN permit 10
 set ip next-hop 192.0.2.2
exit
"""
BIRD = """\
log "/dev/null" all;
router id 10.0.0.1;
protocol device {{ }}
protocol direct {{ ipv4; }}
protocol kernel {{ ipv4 {{ export where source = RTS_BGP; }}; }}
protocol bgp uplink {{
  local 10.1.0.1 as 65001;
  neighbor 10.1.0.2 as {remote};
  hold time 9; connect retry time 2; error wait time 1, 3;
  ipv4 {{ import all; export none; gateway recursive; }};
}}
"""
PEER = f"""\
log "/dev/null" all;
router id 10.0.0.2;
protocol device {{ }}
protocol static {{ ipv4; route {ROUTE} blackhole; }}
protocol bgp edge {{
  local 10.1.0.2 as 65002;
  neighbor 10.1.0.1 as 65001;
  passive; hold time 9; error wait time 1, 3;
  ipv4 {{ import none; export all; next hop address 192.0.2.2; }};
}}
protocol bgp through {{
  local 192.0.2.2 as 65002;
  neighbor 192.0.2.1 as 65001;
  passive; hold time 9; error wait time 1, 3;
  ipv4 {{ import none; export all; }};
}}
"""


class Edge:
    """A VPP, a neighbour with BIRD behind its first port, and what runs beside them."""

    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        self.vpp, self.folder = vpp, folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.options = ["-a", str(vpp.socket_path), "-j", str(vpp.api_dir), "--state-dir", str(folder / "state")]
        vpp.add_netns("peer")
        vpp.ip("link", "set", "veth0-peer", "netns", "peer")
        vpp.ip("link", "add", "up0", "type", "veth", "peer", "name", "up1")
        vpp.ip("link", "set", "up1", "netns", "peer")
        vpp.ip("address", "add", "10.1.0.1/30", "dev", "up0")
        vpp.ip("link", "set", "up0", "up")
        for words in ("address add 10.1.0.2/30 dev up1", "link set up1 up"):
            vpp.ip("-n", "peer", *words.split())
        for words in ("link set lo up", "link set veth0-peer up mtu 1500", "address add 192.0.2.2/24 dev veth0-peer"):
            vpp.ip("-n", "peer", *words.split())
        self.bird("peer", PEER, ("ip", "netns", "exec", "peer"))

    def run(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a program in the namespaces of VPP."""
        apart = ["setpriv", "--pdeathsig", "KILL", "nsenter", "--target", str(self.vpp.pid), "--net", "--mount"]
        process = subprocess.Popen([*apart, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._processes.append(process)
        return process

    def bird(self, name: str, text: str, where: Sequence[str] = ()) -> Path:
        """Start a BIRD with a configuration, and return its socket."""
        config, sock = self.folder / f"{name}.conf", self.folder / f"{name}.ctl"
        config.write_text(text)
        self.run(*where, "bird", "-f", "-c", str(config), "-s", str(sock))
        wait_for(sock.exists)
        return sock

    def apply(self, routing: dict[str, Any], checks: Sequence[Any], *words: str, **keys: Any) -> int:
        file = self.folder / "router.yaml"
        first = {"lcp": "e0", "mtu": 1500, "addresses": [keys.get("address", "192.0.2.1/24")], **keys.get("first", {})}
        second = {"lcp": "e1", "mtu": keys.get("mtu", 1500), "addresses": ["198.51.100.1/24"]}
        content = {"interfaces": {"port0": first, "port1": second}, "routing": routing, "checks": list(checks)}
        content |= keys.get("more", {})
        file.write_text(json.dumps(content))
        return int(main(["apply", "-y", "--lose-unmanaged", "-c", str(file), *words, *self.options]))

    def command(self, *words: str) -> int:
        return int(main([*words, *self.options]))

    def has_route(self) -> bool:
        return f"\n{ROUTE} " in self.vpp.cli(f"show ip fib {ROUTE}")[1].replace("\n" + ROUTE, f"\n{ROUTE} ")

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


class FrrInstance:
    """An FRR of its own, in the namespaces of VPP."""

    def __init__(self, start: Callable[..., object], folder: Path) -> None:
        """`start` starts a program in these namespaces."""
        self.config, self.sockets = FRR_FOLDER / SPACE, FRR_SOCKETS / SPACE
        for own in (self.config, self.sockets):
            own.mkdir(parents=True, exist_ok=True)
            shutil.chown(own, "frr", "frr")
        self.startup = self.config / "frr.conf"
        self.startup.write_text("frr defaults traditional\nservice integrated-vtysh-config\n")
        (self.config / "vtysh.conf").write_text("service integrated-vtysh-config\n")
        for name in ("zebra", "staticd", "bgpd"):
            start(f"/usr/lib/frr/{name}", "-N", SPACE, "--log", f"file:{folder}/{name}.log")
            wait_for((self.sockets / f"{name}.vty").exists)
        wait_for(lambda: "bgpd" in self.vtysh("show daemons"))
        self.file = folder / "frr.conf"

    @property
    def section(self) -> dict[str, Any]:
        return {"frr": {"file": str(self.file), "pathspace": SPACE, "within": "30s"}}

    def vtysh(self, line: str) -> str:
        done = subprocess.run(["vtysh", "-N", SPACE, "-c", line], capture_output=True, text=True, timeout=20)
        return done.stdout

    def neighbor(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self.vtysh("show bgp neighbors 10.1.0.2 json"))
            return dict(found.get("10.1.0.2", {}))
        except ValueError:
            return {}

    def is_established(self) -> bool:
        return self.neighbor().get("bgpState") == "Established"

    def pid(self, daemon: str) -> int:
        return int((self.sockets / f"{daemon}.pid").read_text())

    @property
    def check(self) -> dict[str, Any]:
        command = ["vtysh", "-N", SPACE, "-c", "show bgp neighbors 10.1.0.2"]
        return {"command": command, "contains": "BGP state = Established", "within": "60s"}

    def remove(self) -> None:
        for folder in (self.config, self.sockets):
            shutil.rmtree(folder, ignore_errors=True)


def wait_for(is_so: Callable[[], bool], seconds: float = SETTLE_S) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, is_so
        time.sleep(0.2)


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[Edge]:
    tmp_path.chmod(0o755)
    vpp = router_vpp()
    vpp.start(PORTS)
    try:
        edge = Edge(vpp, tmp_path)
        try:
            yield edge
        finally:
            edge.close()
    finally:
        vpp.stop()


@pytest.fixture
def frr(edge: Edge) -> Iterator[FrrInstance]:
    instance = FrrInstance(edge.run, edge.folder)
    try:
        yield instance
    finally:
        with suppress(OSError, ValueError):
            os.kill(instance.pid("bgpd"), signal.SIGCONT)
        instance.remove()


PING = {"ping": "192.0.2.2", "within": "10s"}


def test_a_session_begins_lives_through_what_does_not_concern_it_and_takes_back_what_breaks_it(
    edge: Edge, frr: FrrInstance, capfd: pytest.CaptureFixture[str]
) -> None:
    frr.file.write_text(FRR.format(remote=65002))
    checks = (PING, frr.check)
    assert edge.apply(frr.section, checks, "--confirm", "5", "--check") == ExitCode.DONE
    assert frr.is_established()
    wait_for(edge.has_route)
    assert frr.startup.read_text() == frr.file.read_text()  # it was confirmed by its checks
    established = frr.neighbor()["connectionsEstablished"]

    assert edge.apply(frr.section, checks, "--confirm", "5", "--check", mtu=1400) == ExitCode.DONE
    assert frr.is_established()
    assert frr.neighbor()["connectionsEstablished"] == established

    frr.file.write_text(FRR.format(remote=65009))  # the neighbour is another one
    broken = [PING, {**frr.check, "within": "15s"}]
    capfd.readouterr()
    code = edge.apply(frr.section, broken, "--confirm", "5", "--check", mtu=1300)
    said = capfd.readouterr().err
    assert code == ExitCode.ROLLED_BACK, said
    assert "a check that was good before is not any more: command vtysh" in said
    assert "FRR keeps its previous configuration" in said
    assert "remote-as 65002" in frr.vtysh("show running-config")
    assert "remote-as 65002" in frr.startup.read_text()
    wait_for(frr.is_established)
    wait_for(edge.has_route)
    assert edge.vpp.client.api.sw_interface_dump(name_filter="port1", name_filter_valid=True)[0].mtu[0] == 1400

    # What breaks is VPP's own part, and FRR is not concerned at all.
    frr.file.write_text(FRR.format(remote=65002))
    if release() < "24.02":  # VPP does not ping by itself
        return
    code = edge.apply(frr.section, broken, "--confirm", "5", "--check", address="203.0.113.1/24")
    assert code == ExitCode.ROLLED_BACK
    wait_for(frr.is_established)

    capfd.readouterr()
    where = ["-a", str(edge.vpp.socket_path), "--state-dir", str(edge.folder / "state")]
    assert main(["history", "--format", "json", *where]) == ExitCode.DONE
    changes = json.loads(capfd.readouterr().out)["changes"]
    assert [change["status"] for change in changes] == ["confirmed", "confirmed", "failed, undone", "failed, undone"]
    assert "command vtysh" in changes[2]["text"]
    assert "ping 192.0.2.2" in changes[3]["text"]


def test_a_rollback_and_the_timer_bring_frr_back_with_vpp(edge: Edge, frr: FrrInstance) -> None:
    frr.file.write_text(FRR.format(remote=65002))
    assert edge.apply(frr.section, ()) == ExitCode.DONE
    frr.file.write_text(FRR.format(remote=65009))
    assert edge.apply(frr.section, (), mtu=1400) == ExitCode.DONE
    assert "remote-as 65009" in frr.startup.read_text()
    assert edge.command("rollback", "-y") == ExitCode.DONE
    assert "remote-as 65002" in frr.vtysh("show running-config")
    assert "remote-as 65002" in frr.startup.read_text()

    assert edge.apply(frr.section, (), "--again", "--confirm", "0.2", "--wait", mtu=1400) == ExitCode.NOT_CONFIRMED
    assert "remote-as 65002" in frr.vtysh("show running-config")
    assert "remote-as 65002" in frr.startup.read_text()


def test_frr_starts_with_its_new_file_only_once_that_is_confirmed(edge: Edge, frr: FrrInstance) -> None:
    frr.file.write_text(FRR.format(remote=65002))
    assert edge.apply(frr.section, ()) == ExitCode.DONE
    startup = frr.startup.read_text()
    frr.file.write_text(FRR.format(remote=65009))
    assert edge.apply(frr.section, (), "--confirm", "5") == ExitCode.DONE
    assert "remote-as 65009" in frr.vtysh("show running-config")
    assert frr.startup.read_text() == startup
    assert edge.command("confirm") == ExitCode.DONE
    assert frr.startup.read_text() == frr.file.read_text()


def test_checks_outlast_the_delay_of_a_route_map(
    edge: Edge, frr: FrrInstance, capfd: pytest.CaptureFixture[str]
) -> None:
    frr.file.write_text(FRR.format(remote=65002))
    assert edge.apply(frr.section, (frr.check,), "--confirm", "5", "--check") == ExitCode.DONE
    wait_for(edge.has_route)
    command = ["vtysh", "-N", SPACE, "-c", f"show ip route {ROUTE}"]
    has_route = {"command": command, "contains": "Known via", "within": "5s"}
    frr.file.write_text(FRR.format(remote=65002).replace("route-map IN permit 10", "route-map IN deny 10"))
    code = edge.apply(frr.section, (frr.check, has_route), "--confirm", "5", "--check")
    said = capfd.readouterr().err
    assert code == ExitCode.ROLLED_BACK, said
    assert "must stay good for another" in said
    assert "a check that was good before is not any more: command vtysh" in said
    wait_for(edge.has_route)


def test_checks_outlast_the_hold_time_of_a_session_that_an_access_list_cuts_off(
    edge: Edge, frr: FrrInstance, capfd: pytest.CaptureFixture[str]
) -> None:
    """The session runs through VPP, by the LCP pair."""
    frr.file.write_text(FRR.format(remote=65002).replace("10.1.0.2", "192.0.2.2"))
    command = ["vtysh", "-N", SPACE, "-c", "show bgp neighbors 192.0.2.2"]
    check = {"command": command, "contains": "BGP state = Established", "within": "60s"}
    assert edge.apply(frr.section, (check,), "--confirm", "5", "--check") == ExitCode.DONE
    rules = [
        {"action": "deny", "family": "ipv4", "protocol": "tcp", way: 179} for way in ("source-port", "destination-port")
    ]
    more = {"acls": {"no-bgp": {"terms": [*rules, {"action": "permit"}]}}}
    capfd.readouterr()
    code = edge.apply(
        frr.section, (check,), "--confirm", "5", "--check", first={"acls": {"input": ["no-bgp"]}}, more=more
    )
    said = capfd.readouterr().err
    assert code == ExitCode.ROLLED_BACK, said
    assert "BGP with 192.0.2.2 ends by its hold time of 9 s" in said
    assert "a check that was good before is not any more: command vtysh" in said


def test_what_frr_does_not_take_is_refused_before_anything_is_changed(
    edge: Edge, frr: FrrInstance, capfd: pytest.CaptureFixture[str]
) -> None:
    frr.file.write_text(FRR.format(remote=65002).replace("remote-as", "remote-az"))
    assert edge.apply(frr.section, ()) == ExitCode.INVALID
    said = capfd.readouterr().err
    assert "line 8: % Unknown command" in said
    frr.file.write_text(FRR.format(remote=65002) + "router ospf\n network 192.0.2.0/24 area 0\nexit\n")
    edge.apply(frr.section, ())
    assert "ospfd does not run; set it to yes in" in capfd.readouterr().err
    assert edge.vpp.client.api.sw_interface_dump(name_filter="port0", name_filter_valid=True)[0].flags & 1 == 0


def test_a_daemon_that_hangs_is_a_failure_like_any_other(
    edge: Edge, frr: FrrInstance, capfd: pytest.CaptureFixture[str]
) -> None:
    frr.file.write_text(FRR.format(remote=65002))
    assert edge.apply(frr.section, ()) == ExitCode.DONE
    os.kill(frr.pid("bgpd"), signal.SIGSTOP)
    frr.file.write_text(FRR.format(remote=65009))
    section = {"frr": {**frr.section["frr"], "within": "3s"}}
    capfd.readouterr()
    assert edge.apply(section, (), mtu=1400) != ExitCode.DONE
    assert "killed" in capfd.readouterr().err
    os.kill(frr.pid("bgpd"), signal.SIGCONT)
    assert edge.vpp.client.api.sw_interface_dump(name_filter="port1", name_filter_valid=True)[0].mtu[0] == 1500


def test_bird_changes_with_vpp_and_comes_back_with_it(edge: Edge, capfd: pytest.CaptureFixture[str]) -> None:
    sock = edge.bird("router", 'log "/dev/null" all;\nprotocol device { }\n')
    startup = edge.folder / "router.conf"
    file = edge.folder / "wanted.conf"
    section = {"bird": {"file": str(file), "socket": str(sock), "startup": str(startup), "within": "30s"}}

    def protocols() -> str:
        return subprocess.run(["birdc", "-s", str(sock), "show", "protocols"], capture_output=True, text=True).stdout

    check = {"command": ["birdc", "-s", str(sock), "show", "protocols"], "contains": "Established", "within": "60s"}
    (edge.folder / "part.conf").write_text(BIRD.format(remote=65002))
    file.write_text('include "part.conf";\n')
    assert edge.apply(section, (PING, check), "--confirm", "5", "--check") == ExitCode.DONE
    assert "Established" in protocols()
    wait_for(edge.has_route)
    assert "protocol bgp uplink" in startup.read_text()

    file.write_text(BIRD.format(remote=65009))
    capfd.readouterr()
    broken = (PING, {**check, "within": "15s"})
    assert edge.apply(section, broken, "--confirm", "5", "--check", mtu=1400) == ExitCode.ROLLED_BACK
    said = capfd.readouterr()
    assert "protocol uplink is reconfigured" in said.out
    wait_for(lambda: "Established" in protocols())
    assert "as 65002" in startup.read_text()
    status = subprocess.run(["birdc", "-s", str(sock), "configure", "status"], capture_output=True, text=True).stdout
    assert "unconfirmed" not in status

    file.write_text(BIRD.format(remote=65002).replace("hold time 9", "hold time 12"))  # it is known what BIRD runs
    capfd.readouterr()
    assert edge.apply(section, ()) == ExitCode.DONE
    assert "ERROR" not in capfd.readouterr().err
    assert edge.command("rollback", "-y") == ExitCode.DONE
    assert startup.read_text().strip() == BIRD.format(remote=65002).strip()

    file.write_text(BIRD.format(remote=65002) + "protocol static unconfirmed { ipv4; }\n")
    assert edge.apply(section, (), "--confirm", "5") == ExitCode.DONE
    assert edge.command("confirm", "--extend", "5") == ExitCode.DONE
    assert "unconfirmed" in protocols()
    assert edge.command("rollback", "-y") == ExitCode.DONE
    assert "unconfirmed" not in protocols()

    startup.write_text(BIRD.format(remote=65007))  # by somebody, and BIRD has not read it
    capfd.readouterr()
    assert edge.apply(section, (), "--again") == ExitCode.REFUSED
    assert "it is not known what BIRD runs" in capfd.readouterr().err


CAPABILITIES = "net_admin,sys_admin,sys_chroot,sys_ptrace,dac_override,fowner,chown"
"""The bounding set of the unit that goes back, in setpriv's words."""


def confined(folders: Sequence[Path]) -> list[str]:
    """Return what runs a command as ProtectSystem=strict, CapabilityBoundingSet= and NoNewPrivileges= would have it."""
    binds = " && ".join(f"mount --bind {folder} {folder}" for folder in folders)
    writable = " && ".join(f"mount -o remount,bind,rw {folder}" for folder in folders)
    script = f'{binds} && mount -o remount,bind,ro / && {writable} && exec "$0" "$@"'
    rights = ["setpriv", "--no-new-privs", "--bounding-set", f"-all,+{CAPABILITIES.replace(',', ',+')}"]
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, *rights]


def test_the_unit_that_goes_back_may_do_what_that_takes(edge: Edge, frr: FrrInstance) -> None:
    frr.file.write_text(FRR.format(remote=65002))
    assert edge.apply(frr.section, ()) == ExitCode.DONE
    frr.file.write_text(FRR.format(remote=65009))
    assert edge.apply(frr.section, (), mtu=1400) == ExitCode.DONE
    folders = [edge.folder, frr.config, Path("/run")]
    words = [sys.executable, "-m", "vppcfg", "rollback", "-y", *edge.options]
    done = subprocess.run([*confined(folders), *words], capture_output=True, text=True, cwd=os.getcwd())
    assert done.returncode == ExitCode.DONE, done.stderr
    assert "remote-as 65002" in frr.vtysh("show running-config")
    assert "remote-as 65002" in frr.startup.read_text()

    frr.file.write_text(FRR.format(remote=65009))  # without its folder it cannot, and says so
    assert edge.apply(frr.section, (), "--again", mtu=1400) == ExitCode.DONE
    done = subprocess.run([*confined([edge.folder, Path("/run")]), *words], capture_output=True, text=True)
    assert done.returncode == ExitCode.STRANDED, done.stderr
    assert f"cannot write {frr.startup}" in done.stderr
