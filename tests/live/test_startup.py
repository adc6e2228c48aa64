"""What `vppcfg startup` makes, given to a real VPP, and what a real VPP refuses, given to our checks.

VPP believes that it runs on a machine of tests/hosts. There is no such hardware, so that the dpdk stanza stays out.
"""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hosts.trees import MACHINES, grow
from tests.real_vpp import release
from tests.startup_vpp import StartupVpp, starting, unsupported_reason
from vppcfg.cli.main import main
from vppcfg.common.release import release_of
from vppcfg.config.for_release import too_new_for
from vppcfg.config.load import parse_text
from vppcfg.host.inventory import read_host
from vppcfg.model.host import Host
from vppcfg.model.native_driver import DEVICES_SINCE
from vppcfg.startup.checks import check
from vppcfg.startup.checks.case import Case
from vppcfg.startup.conf.plugin_review import lost_plugins
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.derive import derive
from vppcfg.startup.files import STARTUP_CONF, render
from vppcfg.startup.running import COMMANDS, verify
from vppcfg.startup.settings import Settings
from vppcfg.vpp.running import read_running

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.skipif(unsupported_reason() is not None, reason=str(unsupported_reason())),
]

INSTALLED = release() if unsupported_reason() is None else "26.10"
RELEASE = release_of(INSTALLED)
PORTS: dict[str, tuple[str, ...]] = {
    "arm_board": ("0000:01:00.0", "0001:01:00.0"),
    "container": ("0000:17:02.0", "0000:17:02.1"),
    "fitlet2": ("0000:01:00.0", "0000:03:00.0"),
    "two_sockets": ("0000:18:00.0", "0000:18:00.1"),
    "virtual_machine": ("0000:00:04.0", "0000:00:05.0"),
    "xeon_d": ("0000:03:00.0", "0000:03:00.1"),
}


def is_short_pool(what: str) -> bool:
    """Return whether a verified value is the number of buffers on small pages, which these releases have fewer of."""
    return what.startswith("buffers on node ") and "24.02" <= INSTALLED < "26.10"


def settings_for(machine: str, workers: int, tree: Path) -> tuple[Settings, Host]:
    """Return what is made for two routed ports with LCPs of a machine, all of its checks passed."""
    interfaces = "".join(f"  xe{n}: {{ device-type: dpdk, lcp: xe{n}, mtu: 9000 }}\n" for n in range(2))
    devices = "".join(f'      "{address}": {{ name: xe{n} }}\n' for n, address in enumerate(PORTS[machine]))
    text = (
        f"interfaces:\n{interfaces}dataplane:\n  cpu: {{ workers: {workers} }}\n  unix: {{ gid: root }}\n"
        f"  linux-cp: {{ netns: dataplane }}\n  dpdk:\n    devices:\n{devices}"
    )
    configuration = parse_text(text, "test").configuration
    assert configuration is not None
    group = tree / "etc/group"
    group.write_text(group.read_text() + "root:x:0:\n")
    host = read_host(str(tree))
    settings = derive(configuration, host, RELEASE)
    found = check(Case(configuration=configuration, host=host, settings=settings))
    assert [problem for problem in found if problem.severity.value == "error"] == []
    return settings, host


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("machine", MACHINES)
def test_vpp_starts_with_the_result_and_has_what_was_asked_for(machine: str, workers: int, tmp_path: Path) -> None:
    settings, host = settings_for(machine, workers, grow(machine, tmp_path))
    text = render(settings)[STARTUP_CONF]
    conf = re.sub(r"\ndpdk \{\n.*?\n\}\n", "\n", text, flags=re.DOTALL)
    conf = conf.replace("  plugin dpdk_plugin.so { enable }\n", "")
    assert "dpdk" in text and "dpdk" not in conf
    with starting(conf, tmp_path) as vpp:
        assert vpp.is_running, vpp.output
        running = read_running(str(vpp.socket_path), COMMANDS)
    isolated = tuple(replace(cpu, is_isolated=cpu.id in settings.placement.isolated) for cpu in host.cpus)
    plugins = tuple(name for name in settings.plugins if name != "dpdk")
    findings = verify(replace(settings, devices=(), plugins=plugins), running, replace(host, cpus=isolated))
    assert [finding for finding in findings if not finding.is_met and not is_short_pool(finding.what)] == []
    assert {"main core", "workers on CPUs", "main heap", "statseg", "plugins"} <= {finding.what for finding in findings}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_command_verifies_what_the_command_made(
    machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = grow(machine, tmp_path / "tree")
    config = tmp_path / "config.yaml"
    config.write_text(
        "interfaces:\n  loop: { device-type: af-packet, addresses: [ 192.0.2.1/24 ] }\n"
        "dataplane:\n  cpu: { workers: 1, isolate: false }\n  unix: { gid: root }\n"
    )
    group = tree / "etc/group"
    group.write_text(group.read_text() + "root:x:0:\n")
    made = tmp_path / "startup.conf"
    options = ["startup", "-c", str(config), "--root", str(tree), "--vpp-version", str(RELEASE)]
    assert main([*options, "-o", str(made)]) == 0
    with starting(made.read_text(), tree) as vpp:
        assert vpp.is_running, vpp.output
        capsys.readouterr()
        code = main([*options, "--verify", "-a", str(vpp.socket_path)])
        shown = capsys.readouterr().out
        different = [line for line in shown.splitlines() if "DIFFERENT" in line]
        assert code == (8 if different else 0)
        assert [line for line in different if not is_short_pool(line.removeprefix("DIFFERENT "))] == []
        assert "ok workers on CPUs: " in shown
        config.write_text(config.read_text().replace("workers: 1", "workers: 2"))
        assert main([*options, "--verify", "-a", str(vpp.socket_path)]) == 8
        assert "DIFFERENT workers on CPUs: asked " in capsys.readouterr().out


OK = "unix { nodaemon }\nplugins { plugin default { disable } }\nsocksvr { default }\n"
SINCE = {
    "heapsize 1G": "26.02",
    "cpu { corelist-workers 1 }": "24.10",
    "cpu { skip-cores 1 }": "25.06",
    "buffers { numa 40 { buffers 1000 } }": "24.10",
}
"""What VPP has refused from a release on, or knows since then."""
REFUSED_CONF: list[tuple[str, str, str]] = [
    ("heapsize 1G", "unknown input `heapsize", "conf-removed"),
    ("memroy { main-heap-size 1G }", "unknown input `memroy", "conf-unknown"),
    ("nsim { poll-main-thread }", "unknown input `nsim", "conf-plugin"),
    ("unix { systemd-notify }", "unknown input `systemd-notify", "conf-unknown"),
    ("ip { heap-size 1G }", "unknown input", "conf-removed"),
    ("plugins { plugin a.so { enable } plugin a.so { enable } }", "already configured", "conf-duplicate"),
    ("cpu { main-core 0 corelist-workers 1 workers 1 }", "threads is already configured", "conf-contradiction"),
    ("cpu { main-core 0 workers 1 corelist-workers 1 }", "placement of 'workers' threads", "conf-contradiction"),
    ("cpu { corelist-workers 1 }", "main-core must be specified when using corelist", "conf-contradiction"),
    ("cpu { skip-cores 1 }", "main-core must be specified when using skip-cores", "conf-contradiction"),
    ("cpu { main-core 0 scheduler-priority 5 }", "is not allowed for `normal` scheduling", "conf-contradiction"),
    ("cpu { main-core 0 corelist-worker 1 }", "no such thread type 'worker'", "conf-unknown"),
    ("cpu { main-core 0 frobs 2 }", "no such thread type 3 'frobs'", "conf-unknown"),
    ("buffers { numa 40 { buffers 1000 } }", "invalid numa node", "conf-contradiction"),
    ("buffers { memory-size-in-mb 64 }", "memory-size-in-mb", "conf-removed"),
    ("statseg { sise 64M }", "statseg_config: unknown input", "conf-unknown"),
    (
        "plugins { plugin linux_cp_plugin.so { enable } plugin tap_plugin.so { enable } }\nlinux-cp { sync }",
        "interfaces not found",
        "conf-unknown",
    ),
    (
        "plugins { plugin linux_cp_plugin.so { enable } plugin linux_nl_plugin.so { enable } }\n"
        "linux-nl { rx-buffer-size 1000 }",
        "invalid netlink option",
        "conf-unknown",
    ),
]


@pytest.mark.parametrize(
    ("addition", "words", "rule"),
    [entry for entry in REFUSED_CONF if SINCE.get(entry[0], "") <= INSTALLED],
    ids=lambda value: value[:40],
)
def test_what_vpp_refuses_in_a_file_is_found_before(addition: str, words: str, rule: str, tmp_path: Path) -> None:
    conf = f"{OK}{addition}\n"
    tree, problems = read_conf(conf, RELEASE)
    kept = [stanza.name for stanza in tree.stanzas if stanza.name == "nsim"]
    found = [*problems, *review(tree, RELEASE), *lost_plugins(tree, kept, ())]
    assert {problem.rule for problem in found} == {rule}
    with starting(conf, grow("fitlet2", tmp_path)) as vpp:
        assert not vpp.is_running
        assert words in vpp.output


REFUSED_SECTION: list[tuple[str, str, str, str]] = [
    (
        "cpu: { main-core: 9 }",
        "cpu { main-core 9 }",
        "cpu 9 is not available to be used for the main",
        "cpu-unavailable",
    ),
    (
        "cpu: { main-core: 0, workers: [ 9 ] }",
        "cpu { main-core 0 corelist-workers 9 }",
        "cpu 9 is not available to be used for the 'workers' thread",
        "cpu-unavailable",
    ),
    (
        "cpu: { main-core: 1, workers: [ 1, 2 ] }",
        "cpu { main-core 1 corelist-workers 1-2 }",
        "cpu 1 is not available to be used for the 'workers' thread",
        "cpu-main-is-worker",
    ),
    (
        "cpu: { main-core: 0, workers: 5 }",
        "cpu { main-core 0 workers 5 }",
        "no available cpus to be used for the 'workers' thread",
        "cpu-too-few",
    ),
    ("unix: { gid: nobody-here }", "unix { gid nobody-here }", "unknown input `gid nobody-here", "group-missing"),
    (
        "unix: { gid: nobody-there }",
        "api-segment { gid nobody-there }",
        "group nobody-there does not exist",
        "group-missing",
    ),
    (
        "memory: { main-heap: 200T }",
        "memory { main-heap-size 200T }",
        "Out-of-memory" if INSTALLED >= "26.02" else "",
        "schema-value",
    ),
    (
        "memory: { hugepage-size: 1G, routes: 8000000 }",
        "memory { main-heap-size 9G main-heap-page-size 1G }",
        "",  # 26.10 dies without a word
        "memory-short",
    ),
    (
        "memory: { hugepage-size: 512M }",
        "buffers { page-size 512M }",
        "failed to allocate buffer pool(s)",
        "hugepage-size",
    ),
    ("statseg: 128K", "statseg { size 128K }", "Out-of-memory" if INSTALLED >= "26.06" else "SIGABRT", "schema-value"),
    (
        "linux-cp: { netns: a-namespace-whose-name-is-far-too-long }",
        "plugins { plugin linux_cp_plugin.so { enable } plugin tap_plugin.so { enable } }\n"
        "linux-cp { default netns a-namespace-whose-name-is-far-too-long }",
        "must be less than 32 characters",
        "schema-value",
    ),
    (
        "buffers: { data-size: 65472 }\n  memory: { hugepage-size: 64K }",
        "buffers { default data-size 65472 }",
        "is greater than page size",
        "buffer-size",
    ),
]


@pytest.mark.parametrize(
    ("section", "conf", "words", "rule"), REFUSED_SECTION, ids=[e[0][:40] for e in REFUSED_SECTION]
)
def test_what_vpp_refuses_of_a_section_is_found_before(
    section: str, conf: str, words: str, rule: str, tmp_path: Path
) -> None:
    text = f"interfaces:\n  GigabitEthernet1/0/0: {{ lcp: e0 }}\ndataplane:\n  {section}\n"
    tree = grow("fitlet2", tmp_path)
    loaded = parse_text(text, "test")
    rules = {problem.rule for problem in loaded.problems}
    if loaded.configuration is not None:
        host = read_host(str(tree))
        settings = derive(loaded.configuration, host, RELEASE)
        rules |= {
            problem.rule for problem in check(Case(configuration=loaded.configuration, host=host, settings=settings))
        }
    assert rule in rules
    with starting(f"{OK}{conf}\n", tree, has_small_pages="page-size" not in conf) as vpp:
        assert not vpp.is_running
        assert words in vpp.output


def test_vpp_reads_the_stanza_of_its_own_drivers_and_finds_no_device(tmp_path: Path) -> None:
    """The hardware is missing: VPP runs, and its log names the device, not a word of the stanza."""
    text = (
        "interfaces: { xe0: {}, xe1: {} }\ndataplane:\n  cpu: { workers: 1 }\n  unix: { gid: root }\n  devices:\n"
        '    "0000:17:02.0": { driver: iavf, name: xe0, rx-queues: 2, tx-queues: 2, rx-descriptors: 1024 }\n'
        '    "0000:17:02.1": { driver: iavf, name: xe1, tx-descriptors: 64 }\n'
    )
    configuration = parse_text(text, "test").configuration
    assert configuration is not None
    if RELEASE < DEVICES_SINCE:
        assert [problem.rule for problem in too_new_for(configuration, RELEASE)] == ["vpp-too-old"] * 2
        return
    conf = render(derive(configuration, read_host(str(grow("container", tmp_path))), RELEASE))[STARTUP_CONF]
    assert "num-rx-queues 2\n      num-tx-queues 2\n      rx-queue-size 1024\n" in conf
    with starting(conf, tmp_path) as vpp:
        assert vpp.is_running, vpp.output
        log = _log_of_devices(vpp)
    assert "pci/0000:17:02.0" in log and "unknown input" not in log
    with starting(conf.replace("num-rx-queues", "num-rx-queue"), tmp_path) as vpp:
        assert vpp.is_running and "unknown input" in _log_of_devices(vpp)


def _log_of_devices(vpp: StartupVpp) -> str:
    """Return what VPP has logged about the stanza `devices`, which it reads soon after it listens."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        log = read_running(str(vpp.socket_path), (*COMMANDS, "show logging")).shown["show logging"]
        lines = [line for line in log.splitlines() if "dev/" in line]
        if lines:
            return "\n".join(lines)
        time.sleep(0.1)
    raise AssertionError(f"VPP logs nothing about its devices:\n{log}")
