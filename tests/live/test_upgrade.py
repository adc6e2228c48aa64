"""`upgrade --rehearse PREFIX` with a real VPP of the target: what is not told does not happen, and what is told does.

VPP_PREFIXES names the installations among which upgrades are judged; without it, it is that of VPP_PREFIX alone.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from pathlib import Path

import pytest

from tests.real_vpp import prefix, release, release_in, skip_reason, stand_ins
from vppcfg.cli.main import main
from vppcfg.common.release import Release, release_of
from vppcfg.config.load import parse_text
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ExitCode
from vppcfg.upgrade.finding import ReleaseChange, Weight
from vppcfg.upgrade.judging import judge_upgrade
from vppcfg.upgrade.rehearsal import BootRehearsal, rehearse
from vppcfg.upgrade.subject import NamedText, UpgradeSubject, subject_of

REASON = skip_reason()

FILES = {file.stem: file for file in sorted(Path(__file__).with_name("configurations").glob("*.yaml"))}
UNIX = "unix { nodaemon gid vpp log /var/log/vpp/vpp.log cli-listen /run/vpp/cli.sock }\n"
MACHINE = """\
cpu { main-core 1 corelist-workers 2-3 }
memory { main-heap-size 4G main-heap-page-size default-hugepage }
buffers { buffers-per-numa 65536 page-size default-hugepage }
statseg { size 256M page-size default-hugepage per-node-counters on }
dpdk { dev 0000:01:00.0 { name GigabitEthernet1/0/0 num-rx-queues 2 } }
"""
CP = "plugin linux_cp_plugin.so { enable } plugin linux_nl_plugin.so { enable }"
_PLUGINS = (
    *("acl", "af_packet", "dhcp", "dpdk", "flowprobe", "gre", "lacp", "linux_cp", "linux_nl", "lldp", "memif"),
    *("mss_clamp", "sflow", "urpf", "vhost", "vxlan", "wireguard"),
)
NAMED = " ".join(f"plugin {name}_plugin.so {{ enable }}" for name in _PLUGINS)
STARTUPS = {
    "pairs": f"{UNIX}{MACHINE}plugins {{ {CP} }}\nlinux-cp {{ default netns dataplane lcp-sync }}\n",
    "plain": UNIX,
    "all others off": f"{UNIX}{MACHINE}plugins {{ plugin default {{ disable }} {NAMED} }}\n",
    "and what is new": f"{UNIX}plugins {{ plugin default {{ disable }} {NAMED} "
    "plugin tap_plugin.so { enable } plugin ipip_plugin.so { enable } }\n",
    "gone words": f"{UNIX}heapsize 1G\nplugins {{ {CP} }}\n",
    "gone stanza": f"{UNIX}tap {{ host-mtu 1500 }}\nplugins {{ {CP} }}\n",
    "left open": f"{UNIX}plugins {{ {CP} }}\nlogging {{ default-log-level info\n",
}
ROUTERS = (
    ("02_cross_connect", "plain"),
    ("03_routed", "pairs"),
    ("03_routed", "all others off"),
    ("03_routed", "and what is new"),
    ("05_vlans", "gone words"),
    ("07_linux_on_vlans", "pairs"),
    ("10_switched_vlans", "gone stanza"),
    ("14_bonded", "all others off"),
    ("16_bridged", "left open"),
    ("18_filtered", "pairs"),
    ("20_gre", "pairs"),
    ("22_vrfs", "pairs"),
    ("24_ipip", "all others off"),
    ("26_wireguard", "pairs"),
    ("28_made_ports", "pairs"),
)
"""Files and the startup.confs that they are with."""
_NAMED = [Path(name).resolve() for name in os.environ.get("VPP_PREFIXES", "").split()]
_JUDGED = _NAMED if prefix().resolve() in _NAMED[:1] else [prefix()]
PREFIXES = {release_in(path): path for path in _JUDGED if REASON is None}
"""Where releases are installed; all of them in the run of the first one, for each pair is judged once."""


@pytest.fixture(scope="module", autouse=True)
def _kernel() -> Iterator[None]:
    """Have what VPP needs of a kernel, and folders elsewhere than the sockets of the files are."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        patch.setattr(tempfile, "tempdir", folder)
        for name, value in stand_ins(Path(folder), makes_vlan_devices=True).items():
            patch.setenv(name, value)
        yield


@cache
def subject(file: str, startup: str) -> UpgradeSubject:
    loaded = parse_text(FILES[file].read_bytes(), str(FILES[file]))
    assert loaded.configuration is not None
    return subject_of(loaded, loaded.configuration, startup=NamedText(name="startup.conf", text=STARTUPS[startup]))


@cache
def rehearsed(file: str, startup: str, old: Release, new: Release) -> BootRehearsal:
    """Rehearse the way from a release on the real VPP of another one."""
    files = SourceFiles(names=(str(FILES[file]),))
    return rehearse(subject(file, startup), ReleaseChange(old=old, new=new), files, None, PREFIXES[str(new)])


def test_the_command_boots_a_real_vpp_as_the_router(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    startup = tmp_path / "startup.conf"
    startup.write_text(STARTUPS["pairs"])
    words = ["--from", release(), "--to", release(), "-c", str(FILES["03_routed"]), "--startup", str(startup)]
    assert main(["upgrade", "-q", *words, "--rehearse", str(prefix()), "--report", "json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["findings"] == []
    assert (document["rehearsal"]["prefix"], document["rehearsal"]["failure"]) == (str(prefix()), "")
    assert document["rehearsal"]["steps"] > 5
    assert list(Path("/dev/shm").glob("vppcfg-rehearsal-*")) == []


def test_a_vpp_of_another_release_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    other = "24.06" if release() != "24.06" else "24.10"
    words = ["--from", other, "--to", other, "-c", str(FILES["03_routed"]), "--rehearse", str(prefix())]
    assert main(["upgrade", "-q", *words]) == ExitCode.INVALID
    assert f"the VPP in {prefix()} is {release()}" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize(("file", "startup"), ROUTERS)
def test_what_is_not_told_does_not_happen_between_real_releases(file: str, startup: str) -> None:
    releases = [release_of(name) for name in PREFIXES]
    judged = 0
    for one in releases:
        boot = rehearsed(file, startup, one, one)
        assert boot.failure or not boot.findings, (str(one), boot.findings)
    for old, new in permutations(releases, 2):
        if rehearsed(file, startup, old, old).failure:
            continue
        findings = judge_upgrade(subject(file, startup), ReleaseChange(old=old, new=new))
        stops = [finding.text for finding in findings if finding.weight is Weight.STOPS]
        failure = rehearsed(file, startup, new, new).failure
        assert bool(stops) == bool(failure), (str(old), str(new), stops, failure)
        judged += 1
    assert judged or len(releases) < 2


@pytest.mark.long
@pytest.mark.parametrize(("old", "new"), list(product(("23.06", "25.06"), PREFIXES)))
def test_a_real_boot_ends_with_what_another_release_would_have(old: str, new: str) -> None:
    boot = rehearsed("03_routed", "pairs", release_of(old), release_of(new))
    assert (boot.failure, boot.findings) == ("", ())
