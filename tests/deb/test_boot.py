"""The services on a machine that is booted for it: VPP is configured whenever it starts, and never touched else."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import real_vpp
from tests.deb.conftest import Packages
from tests.deb.debian import Debian
from tests.deb.machine import Booted, boot, boot_container, make_bootable
from tests.real_vpp import prefix, skip_reason

PROGRAMS = ("qemu-system-x86_64", "mkfs.ext4")
CONFIGURATION = """\
interfaces:
  GigabitEthernet1/0/0:
    description: uplink
    mtu: 9000
    addresses: [ 192.0.2.1/31 ]
    sub-interfaces:
      100: { mtu: 1500, addresses: [ 198.51.100.1/24 ] }
  GigabitEthernet3/0/0:
    mtu: 9000
loopbacks:
  loop0: { addresses: [ 192.0.2.255/32 ] }
"""
SIMULATED_VPP = """\
[Unit]
Description=a simulated VPP that takes its time
[Service]
ExecStart=/bin/sh -c 'sleep 3; exec /usr/bin/vppcfg sim --socket /run/vpp/api.sock --phy GigabitEthernet1/0/0 \
    --phy GigabitEthernet3/0/0'
RuntimeDirectory=vpp
RuntimeDirectoryPreserve=yes
Restart=always
[Install]
WantedBy=multi-user.target
"""


REAL_CONFIGURATION = """\
interfaces:
  host-port0:
    device-type: af-packet
    mtu: 1500
    lcp: { name: e0, netns: dataplane }
    addresses: [ 192.0.2.1/31 ]
  tap0: {}
taps:
  tap0:
    host: { name: vpp-tap0, bridge: br0, bridge-create: true, namespace: guests, namespace-create: true }
loopbacks:
  loop0: { addresses: [ 192.0.2.255/32 ] }
"""
REAL_VPP = """\
[Unit]
Description=VPP
[Service]
EnvironmentFile=-/etc/vpp/environment
ExecStartPre=-/sbin/ip netns add dataplane
ExecStartPre=-/sbin/ip link add port0 type veth peer name peer0
ExecStart=@prefix@/bin/vpp -c /etc/vpp/startup.conf
RuntimeDirectory=vpp
Restart=always
[Install]
WantedBy=multi-user.target
"""
STARTUP_CONF = """\
unix { nodaemon nosyslog cli-listen /run/vpp/cli.sock gid vpp exec /etc/vpp/ports poll-sleep-usec 100 }
socksvr { default }
statseg { default size 32M }
memory { main-heap-size 512M main-heap-page-size 4k }
buffers { buffers-per-numa 4096 page-size 4k }
plugins { path @plugins@ plugin linux_cp_plugin.so { enable } }
"""

PAGE = Path(__file__).parents[2] / "docs" / "home-router.md"
HOME_PORTS = "".join(
    f"create host-interface name veth{number}\nset interface name host-veth{number} {name}\n"
    for number, name in enumerate(("GigabitEthernet1/0/0", "GigabitEthernet3/0/0"))
)
PACKAGED_VPP = """\
[Unit]
Description=vector packet processing engine
[Service]
EnvironmentFile=-/etc/vpp/environment
ExecStartPre=-/sbin/ip link add veth0 up type veth peer name veth0-peer
ExecStartPre=-/sbin/ip link add veth1 up type veth peer name veth1-peer
ExecStart=/usr/bin/vpp -c /etc/vpp/startup.conf
ExecStartPost=/bin/sh -c 'until vppctl exec /etc/vpp/ports; do sleep 0.2; done'
Restart=on-failure
[Install]
WantedBy=multi-user.target
"""
"""Its section [Service] is that of FD.io's package, but for the ports and the stand-in for vhost."""
PACKAGED_CONF = """\
unix { nodaemon log /var/log/vpp/vpp.log full-coredump cli-listen /run/vpp/cli.sock gid vpp }
api-trace { on }
api-segment { gid vpp }
socksvr { default }
"""
"""What src/vpp/conf/startup.conf of FD.io's package sets."""
FOR_PORTS = "dataplane: { plugins: [ af_packet, dhcp, linux_cp, linux_nl, nat, ping, tap ] }\n"
"""What `auto` loads for the page, and what ports need that are devices of Linux."""


@pytest.fixture(scope="module")
def bootable(debian: Debian, packages: Packages) -> Debian:
    """A Debian with a kernel, systemd and the build before."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    assert not missing, f"install {', '.join(missing)}"
    make_bootable(debian)
    debian.install(debian.put(packages.before))
    shutil.copy(packages.new, debian.path("/root/new.deb"))
    needed = debian.run("dpkg-deb", "--field", "/root/new.deb", "Depends")
    debian.run("apt-get", "satisfy", "--yes", "--quiet", needed.strip())  # the machine has no network to ask for them
    debian.path("/etc/vpp").mkdir()
    return debian


@pytest.fixture(scope="module")
def booted(bootable: Debian, tmp_path_factory: pytest.TempPathFactory) -> Booted:
    """The machine after the scenario with a simulated VPP."""
    bootable.path("/etc/vpp/vppcfg.yaml").write_text(CONFIGURATION)
    bootable.path("/etc/systemd/system/vpp.service").write_text(SIMULATED_VPP)
    bootable.run("systemctl", "enable", "vpp.service")
    return boot(bootable, "simulated", tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="module")
def with_vpp(bootable: Debian) -> Debian:
    """The machine with the new package and a real VPP, which was built for this CPU and Debian 12."""
    if reason := skip_reason():
        pytest.skip(reason)
    if shutil.which("systemd-nspawn") is None:
        pytest.skip("systemd-nspawn is not installed")
    if "bookworm" not in bootable.path("/etc/os-release").read_text():
        pytest.skip("the real VPP runs on Debian 12 only")
    bootable.install("libnl-3-200", "libnl-route-3-200", "libunwind8", "iproute2", "kmod")
    bootable.run("dpkg", "--install", "/root/new.deb")
    shutil.copytree(prefix(), bootable.path(str(prefix())), symlinks=True, dirs_exist_ok=True)
    folders = sorted({str(each.parent) for each in prefix().glob("lib/**/libvlib.so")})
    bootable.path("/etc/ld.so.conf.d/vpp.conf").write_text("\n".join(folders))
    bootable.run("ldconfig")
    stand_in_for_vhost(bootable)
    return bootable


@pytest.fixture(scope="module")
def booted_with_vpp(with_vpp: Debian, tmp_path_factory: pytest.TempPathFactory) -> Booted:
    """A container after the scenario with a real VPP."""
    (plugins,) = prefix().glob("lib/*/vpp_plugins")
    startup = STARTUP_CONF.replace("@plugins@", str(plugins))
    give(with_vpp, REAL_VPP.replace("@prefix@", str(prefix())), startup, "create host-interface name port0\n")
    with_vpp.path("/etc/vpp/vppcfg.yaml").write_text(REAL_CONFIGURATION)
    return boot_container(with_vpp, "real", tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="module")
def home_router(with_vpp: Debian, tmp_path_factory: pytest.TempPathFactory) -> Booted:
    """A container after the scenario of the page on home routers."""
    with_vpp.install("--no-install-recommends", "dnsmasq", "udhcpc", "ethtool")
    for name in ("vpp", "vppctl"):
        link = with_vpp.path(f"/usr/bin/{name}")
        link.unlink(missing_ok=True)
        link.symlink_to(prefix() / "bin" / name)
    with_vpp.path("/var/log/vpp").mkdir(exist_ok=True)
    give(with_vpp, PACKAGED_VPP, PACKAGED_CONF, HOME_PORTS)
    with_vpp.path("/etc/vpp/vppcfg.yaml").unlink(missing_ok=True)
    with_vpp.run("find", "/var/lib/vppcfg", "-mindepth", "1", "-delete")
    page = PAGE.read_text()
    (configuration,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    dnsmasq, uplink = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    commands = "\n".join(each.removeprefix("sudo ") for each in commands_of_page())
    (folder := with_vpp.path("/root/page")).mkdir()
    files = {"home-router.yaml": configuration + FOR_PORTS, "dnsmasq.conf": dnsmasq, "uplink.network": uplink}
    for name, text in {**files, "commands": f"{commands}\n"}.items():
        (folder / name).write_text(text)
    return boot_container(with_vpp, "home_router", tmp_path_factory.mktemp("machine"))


def commands_of_page() -> list[str]:
    """Return the commands that the page has the reader run once."""
    session = re.findall(r"## Do it\n.*?```console\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    return re.findall(r"^\$ (.*)", session, re.MULTILINE)


def give(debian: Debian, unit: str, startup: str, ports: str) -> None:
    """Have systemd start a VPP with `startup`, which brings its `ports` itself."""
    debian.path("/etc/vpp/ports").write_text(ports)
    debian.path("/etc/vpp/startup.conf").write_text(startup)
    debian.path("/etc/systemd/system/vpp.service").write_text(unit)
    debian.run("systemctl", "enable", "vpp.service")


def stand_in_for_vhost(debian: Debian) -> None:
    """Let VPP make TAPs where the kernel has no /dev/vhost-net, as tests/real_vpp.py does."""
    if Path("/dev/vhost-net").exists():
        return
    source, library = Path(real_vpp.__file__).with_name("real_vpp_vhost.c"), debian.path("/usr/local/lib/vhost.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    debian.path("/etc/vpp/environment").write_text("LD_PRELOAD=/usr/local/lib/vhost.so\nVHOST_PASSES_PACKETS=1\n")


@pytest.mark.parametrize("occasion", ["boot", "vpp killed", "vpp restarted", "vpp started"])
def test_vpp_is_as_the_file_says_after(booted: Booted, occasion: str) -> None:
    assert booted.said[occasion] == "active 0 0 plan 0", booted


def test_nothing_fails_at_boot(booted: Booted) -> None:
    assert booted.said["failed units"] == ""


def test_the_journal_is_for_root_and_the_group_of_vpp(booted: Booted) -> None:
    assert booted.said["state directory"] == "root:vpp 2770"
    assert booted.said["journal"] == "root:vpp 640"


def test_the_service_ends_with_vpp(booted: Booted) -> None:
    assert booted.said["vpp stopped"] == "inactive"


def test_a_change_that_nobody_confirms_is_rolled_back_by_systemds_timer(booted: Booted) -> None:
    assert booted.said["unconfirmed"] == "0 1 timer"
    assert booted.said["rolled back"] == "plan 0"


@pytest.mark.parametrize("name", ["vppcfg.service", "vppcfg-watch.service", "vppcfg-confirm"])
def test_systemd_calls_no_unit_exposed(booted: Booted, name: str) -> None:
    assert 0 < float(booted.said[f"exposure of {name}"]) < 3.0


def test_a_file_that_nobody_has_applied_does_not_come_into_force(booted: Booted) -> None:
    assert booted.said["edited file"] == "active 0 0 plan 0"
    assert "is not what was applied last" in booted.said["warning"]


def test_upgrading_and_purging_touch_no_vpp(booted: Booted) -> None:
    assert booted.said["upgrade"] == "0 vpp same run same"
    assert booted.said["purge"] == "0 vpp same"


@pytest.mark.parametrize(("occasion", "code"), [("wrong file", 3), ("missing port", 5)])
def test_what_a_retry_cannot_mend_is_not_tried_again(booted: Booted, occasion: str, code: int) -> None:
    assert booted.said[occasion] == f"failed {code} 0"


def test_without_a_file_the_service_is_skipped(booted: Booted) -> None:
    assert booted.said["no file"] == "no"


@pytest.mark.parametrize("occasion", ["boot", "vpp killed"])
def test_a_real_vpp_is_as_the_file_says_after(booted_with_vpp: Booted, occasion: str) -> None:
    assert booted_with_vpp.said[occasion] == "active 0 0 plan 0", booted_with_vpp


def test_the_confined_service_reaches_other_namespaces(booted_with_vpp: Booted) -> None:
    assert booted_with_vpp.said["pair"] == "mtu 1500"
    assert booted_with_vpp.said["pair again"] == "mtu 1500"
    assert booted_with_vpp.said["bridge"] == "master br0"


def test_the_confined_watch_says_what_differs(booted_with_vpp: Booted) -> None:
    said = booted_with_vpp.said
    assert (said["in sync"], said["drift"], said["drift is gone"]) == ("yes", "yes", "yes")
    assert (said["watch"], said["watch stopped"]) == ("active 0", "inactive success")


def test_the_page_on_home_routers_makes_one(home_router: Booted) -> None:
    said = home_router.said
    answered = (each.removeprefix("sudo ") for each in commands_of_page())
    commands = [f"{each} --yes" if " apply" in each else each for each in answered]
    assert {each: said.get(each) for each in commands} == dict.fromkeys(commands, "0"), said["written"]
    assert said["lease"] == "192.168.1.1 192.168.1.1"
    assert said["name"] == "9.9.9.9", said["vpp.service says"]
    assert said["host reaches the world as"] == said["router reaches the world as"] == said["address of the provider"]
    assert said["web at home is reached as"] == "203.0.113.1"
    assert said["vpp restarted"] == "active 0 0 plan 0"
