"""What a rehearsal on a real VPP starts with and compares, without one."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.test_work import calls_in
from tests.unit.upgrade.routers import change, router
from vppcfg.common.release import Release
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import UsageError
from vppcfg.linux import private_vpp
from vppcfg.linux.private_vpp import VppEnvironment, isolation_command
from vppcfg.startup.lint.lint import judge
from vppcfg.upgrade import rehearsal
from vppcfg.upgrade.boot import Boot
from vppcfg.upgrade.private_startup import private_netns, private_stanzas
from vppcfg.upgrade.real_boot import setup_with
from vppcfg.upgrade.rehearsal import rehearse

PORT = "GigabitEthernet1/0/0"
FILE = f"interfaces:\n  {PORT}: {{ mtu: 1500, lcp: e0, addresses: [ 192.0.2.1/24 ] }}\n"
RELEASE = Release(26, 6)


@pytest.mark.parametrize(
    ("startup", "kept"),
    [
        ("unix { nodaemon gid vpp log /l cli-listen /c exec /e cli-prompt x }", "unix { cli-prompt x }"),
        ("unix { interactive }", ""),
        ("punt { socket /tmp/punt.sock }", ""),
        ("unix { systemd-notify }", "unix { systemd-notify }"),
        ("cpu { main-core 1 corelist-workers 2-3 thread-prefix x }", "cpu { thread-prefix x }"),
        ("memory { main-heap-size 8G sise 3 }", "memory { sise 3 }"),
        ("buffers { page-size 1G numa 1 { buffers 5 } default data-size 4096 }", "buffers { default data-size 4096 }"),
        ("dpdk { dev 0000:01:00.0 { name x } }\ndevices { dev pci/0000:01:00.0 }\nplugin_path /p", ""),
        ("plugins { path /p plugin dpdk_plugin.so { enable } name-filter x }", "plugins { name-filter x }"),
        ("plugins { plugin af_packet_plugin.so { disable } }", ""),
        ("plugins { plugin ping_plugin.so { enable } }", "plugins { plugin ping_plugin.so { enable } }"),
        ("socksvr { default }\nstatseg { size 1G update-interval 2 }", "statseg { update-interval 2 }"),
        ("heapsize 1G\ntap { host-mtu 1500 }", "heapsize 1G\ntap { host-mtu 1500 }"),
        ("logging { default-log-level info", "logging { default-log-level info }"),
        ("linux-cp { default netns n lcp-sync }", "linux-cp { default netns n lcp-sync }"),
        ("session { }", "session { }"),
    ],
)
def test_what_is_about_the_machine_is_left_out_and_all_else_stays(startup: str, kept: str) -> None:
    text = private_stanzas(router(startup=startup), RELEASE)
    assert text is not None and text.split() == kept.split()


def test_a_startup_conf_that_no_vpp_reads_is_not_started_with() -> None:
    subject = router(FILE, startup="unix { nodaemon } }")
    assert private_stanzas(subject, RELEASE) is None
    assert judge("unix { nodaemon } }", (RELEASE,)).stopped
    assert private_stanzas(router(FILE), RELEASE) == ""


def test_a_vpp_finds_the_namespaces_and_bridges_that_the_file_counts_on(tmp_path: Path) -> None:
    taps = """\
taps:
  tap1: { host: { name: a, namespace: one, bridge: br1 } }
  tap2: { host: { name: b, namespace: two, namespace-create: true, bridge: br2, bridge-create: true } }
"""
    sockets = f"memifs: {{ memif1/0: {{ role: master, socket: {tmp_path}/m.sock }} }}\n"
    interfaces = "  tap1: { mtu: 1500 }\n  tap2: { mtu: 1500 }\n  memif1/0: { mtu: 1500 }\n"
    subject = router(FILE + interfaces + taps + sockets, startup="linux-cp { default netns dataplane }")
    assert private_netns(subject, RELEASE) == "dataplane"
    found = setup_with(subject, RELEASE, "unix { }")
    assert found.namespaces == ("dataplane", "one")
    assert found.bridges == (("one", "br1"),)
    assert found.hidden == (tmp_path.resolve(),)
    script = isolation_command(found)[-1]
    assert f"mount -t tmpfs none {tmp_path.resolve()}" in script and "ip netns add dataplane" in script


def test_words_of_a_file_are_no_words_of_the_shell() -> None:
    script = isolation_command(VppEnvironment(namespaces=("a b;c",), hidden=(Path("/x y"), Path("/run/vpp/m"))))[-1]
    assert "ip netns add 'a b;c'" in script
    assert "mount -t tmpfs none '/x y'" in script and "mkdir -p /run/vpp/m" in script


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make namespaces")
def test_what_runs_in_namespaces_of_its_own_sees_no_process_of_others() -> None:
    command = [*isolation_command(VppEnvironment()), "sh", "-c", "echo $$; ls -d /proc/[0-9]*/ns"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[:2] == ["1", "/proc/1/ns"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make namespaces")
def test_what_runs_in_namespaces_of_its_own_changes_no_file_of_others(tmp_path: Path) -> None:
    (kept := tmp_path / "kept").write_text("")
    (hidden := tmp_path / "hidden").mkdir()
    command = isolation_command(VppEnvironment(hidden=(hidden,)))
    shell = f"touch {hidden}/socket && rm -f {kept}; touch {tmp_path}/made /dev/made; echo > /dev/null; ls {hidden}"
    done = subprocess.run([*command, "sh", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout == "socket\n"
    assert not Path("/dev/made").exists()
    assert (kept.exists(), sorted(os.listdir(tmp_path)), os.listdir(hidden)) == (True, ["hidden", "kept"], [])


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return where a program is that says why it does not start."""
    program = tmp_path / "vpp/bin/vpp"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\ncat $2; exit 1\n")
    program.chmod(0o755)
    (tmp_path / "router.yaml").write_text(FILE)
    monkeypatch.setattr("vppcfg.linux.private_vpp.os.geteuid", lambda: 0)
    monkeypatch.setattr(private_vpp, "isolation_command", lambda *_: ())
    monkeypatch.setattr(private_vpp, "_TOOLS", ())
    yield tmp_path / "vpp"


def test_what_a_real_vpp_says_before_it_ends_is_told(installed: Path) -> None:
    subject = router(FILE, startup="frobnicate { on }")
    files = SourceFiles(names=(str(installed.parent / "router.yaml"),))
    done = rehearse(subject, change("26.02", "26.06"), files, None, installed)
    assert (done.failed_at, done.prefix, done.findings) == (0, str(installed), ())
    assert "frobnicate" in done.failure and "VPP does not start" in done.sentence
    unreadable = rehearse(router(FILE, startup="}"), change("26.02", "26.06"), files, None, installed)
    assert unreadable.failure == "VPP cannot read startup.conf"
    with pytest.raises(UsageError, match="there is no program"):
        rehearse(subject, change("26.02", "26.06"), files, None, installed / "bin")


def test_a_tap_gets_the_mtu_of_the_file_whatever_startup_conf_says_of_taps(tmp_path: Path) -> None:
    file = tmp_path / "router.yaml"
    file.write_text("interfaces: { tap0: {} }\ntaps: { tap0: { host: { name: t0 } } }\n")
    subject = router(file.read_text(), startup="tap { host-mtu 9000 }")
    done = rehearse(subject, change("24.10", "25.10"), SourceFiles(names=(str(file),)), None)
    assert (done.failed_at, done.failure, done.findings) == (None, "", ()) and done.steps


def test_what_two_boots_lead_to_is_compared_but_for_what_vpp_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = router(FILE)
    state = resolve(subject.configuration, assumed_state(subject.configuration)).desired
    port = state.interfaces[PORT]
    (tmp_path / "router.yaml").write_text(FILE)
    files = SourceFiles(names=(str(tmp_path / "router.yaml"),))

    def findings_with(**values: object) -> tuple[str, ...]:
        other = replace(port, **values)  # type: ignore[arg-type]
        reached = replace(state, interfaces={**state.interfaces, PORT: other}, namespaces=frozenset({"x"}))
        states = iter([reached, state])
        monkeypatch.setattr(
            rehearsal, "_boot_simulated", lambda *_: Boot(steps=1, failed_at=None, reached=next(states))
        )
        found = rehearse(subject, change("26.02", "26.06"), files, None).findings
        return tuple(finding.rule for finding in found)

    assert findings_with(mac="02:00:00:00:00:07", device_class="other") == ()
    assert findings_with(packet_mtu=1400) == ("up-state",)
    assert findings_with(is_up=not port.is_up) == ("up-state",)


@pytest.mark.long
def test_a_rehearsal_takes_work_in_proportion_to_the_router(tmp_path: Path) -> None:
    def calls(size: int) -> int:
        rows = [f"      {n}: {{ encapsulation: {{ dot1q: {n} }}, mtu: 1400 }}\n" for n in range(1, size + 1)]
        text = f"interfaces:\n  {PORT}:\n    sub-interfaces:\n{''.join(rows)}"
        file = tmp_path / f"{size}.yaml"
        file.write_text(text)
        files, way = SourceFiles(names=(str(file),)), change("26.02", "26.06")
        return calls_in(lambda: rehearse(router(text), way, files, None))

    calls(1)  # what is made once
    few, some, many = calls(50), calls(100), calls(200)
    assert many - few < 3.3 * (some - few), (few, some, many)
