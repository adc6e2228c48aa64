"""What becomes of a startup.conf, alone and with the scripts that it has VPP run."""

from collections.abc import Mapping

import pytest

from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.merge_sources import adopt_sources
from vppcfg.adopt.report import LineOutcome
from vppcfg.adopt.script_adoption import ReplaySetup
from vppcfg.adopt.sources import Source, kind_of
from vppcfg.adopt.startup_conf import adopt_conf
from vppcfg.common.release import NEWEST, Release
from vppcfg.errors import UsageError

CONF = """\
unix {
  nodaemon
  gid vpp
  exec /etc/vpp/bootstrap.vpp
}
memory { main-heap-size 4G }
cpu { main-core 1 corelist-workers 2-3 }
buffers { buffers-per-numa 128000 default data-size 2048 }
statseg { size 1G per-node-counters on }
plugins {
  plugin default { disable }
  plugin dpdk_plugin.so { enable }
  plugin linux_cp_plugin.so { enable }
  plugin tap_plugin.so { enable }
  plugin ping_plugin.so { disable }
}
logging { default-log-level info }
dpdk {
  dev default { num-rx-queues 2 }
  dev 0000:01:00.0 { name xe0 num-rx-desc 512 devargs a=1 }
  no-multi-seg
}
linux-cp { default netns dataplane lcp-sync }
linux-nl { nl-rx-buffer-size 67108864 }
"""


def adopted(files: Mapping[str, str], *names: str, rest_file: str | None = None) -> Adoption:
    """Adopt some files; the others are only read when one of these names them."""

    def read_file(name: str, _: str) -> tuple[str, str] | None:
        known = name.rpartition("/")[2]
        return (known, files[known]) if known in files else None

    sources = [Source(name=name, text=files[name], kind=kind_of(files[name])) for name in names]
    return adopt_sources(sources, ReplaySetup(release=NEWEST), read_file, rest_file)


def test_a_script_that_is_given_as_well_runs_once() -> None:
    files = {"startup.conf": CONF, "bootstrap.vpp": "create loopback interface\n"}
    adoption = adopted(files, "startup.conf", "bootstrap.vpp")
    assert [line.text for line in adoption.report.lines if line.source == "bootstrap.vpp"] == [
        "create loopback interface"
    ]
    assert "loop0" in adoption.text


def test_a_script_that_is_missing_is_a_fault() -> None:
    adoption = adopted({"startup.conf": CONF}, "startup.conf")
    fault = next(line for line in adoption.report.lines if line.outcome is LineOutcome.FAULT)
    assert (fault.number, fault.rule) == (4, "adopt-exec")


def test_the_pairs_of_a_script_are_in_the_namespace_that_startup_conf_names() -> None:
    files = {"startup.conf": CONF, "bootstrap.vpp": "lcp create xe0 host-if e0\n"}
    adoption = adopted(files, "startup.conf")
    assert "    lcp: e0\n" in adoption.text
    assert adoption.state.lcps["xe0"].netns == "dataplane"


def test_a_command_of_a_plugin_that_is_off_is_refused() -> None:
    files = {"startup.conf": CONF, "bootstrap.vpp": "sflow sampling-rate 100\n"}
    fault = next(line for line in adopted(files, "startup.conf").report.lines if line.outcome is LineOutcome.FAULT)
    assert fault.why == "VPP refuses it: startup.conf does not enable the plugin that has the command"


def test_vpp_runs_what_is_left_at_its_start() -> None:
    files = {"startup.conf": CONF, "bootstrap.vpp": "nat64 plugin enable\n"}
    adoption = adopted(files, "startup.conf", rest_file="/etc/vpp/vppcfg-rest.vpp")
    assert "  unix:\n    gid: vpp\n    exec: /etc/vpp/vppcfg-rest.vpp\n" in adoption.text
    needs = {
        "startup.conf": CONF,
        "bootstrap.vpp": "create loopback interface\nset interface state loop0 up\nnat64 add interface address loop0\n",
    }
    assert "exec" not in adopted(needs, "startup.conf", rest_file="/etc/vpp/vppcfg-rest.vpp").text


def test_a_key_that_contradicts_the_interfaces_stays_where_it_is() -> None:
    """Frames of 9000 bytes, which every port takes that nobody configures, do not fit into one buffer."""
    unnamed = CONF.replace("name xe0 ", "")
    script = "set interface state TenGigabitEthernet1/0/0 up\n"
    adoption = adopted({"startup.conf": unnamed, "bootstrap.vpp": script}, "startup.conf")
    fault = next(line for line in adoption.report.lines if line.outcome is LineOutcome.FAULT)
    assert (fault.text, fault.rule) == ("dpdk no-multi-seg", "multi-seg-mtu")
    assert "multi-seg" not in adoption.text


def test_ports_that_startup_conf_does_not_name_are_assumed() -> None:
    unnamed = CONF.replace("  no-multi-seg", "  dev 0000:02:00.0")
    script = {"bootstrap.vpp": "set interface state TenGigabitEthernet2/0/0 up\n"}
    assert [port.name for port in adopted({"startup.conf": unnamed, **script}, "startup.conf").report.ports] == [
        "TenGigabitEthernet2/0/0"
    ]
    named = adopted({"startup.conf": CONF, **script}, "startup.conf").report
    assert named.ports == ()
    assert named.counts()[LineOutcome.FAULT] == 1


@pytest.mark.parametrize(("text", "rule"), [("cpu { main-core 1", "conf-unclosed"), ("bogus { }", "conf-unknown")])
def test_what_stops_vpp_is_a_fault(text: str, rule: str) -> None:
    lines = adopt_conf("startup.conf", text, NEWEST).lines
    assert [line.rule for line in lines if line.outcome is LineOutcome.FAULT] == [rule]


def test_a_value_that_no_configuration_may_have_stays_where_it_is() -> None:
    conf = adopt_conf("startup.conf", "memory { main-heap-size 4M }\ncpu { main-core 1 }\n", NEWEST)
    assert conf.settings["cpu"] == {"main-core": 1}
    assert [line.outcome for line in conf.lines] == [LineOutcome.UNMANAGED, LineOutcome.DATAPLANE]


def test_a_startup_conf_that_is_cut_anywhere_gives_a_report() -> None:
    for end in range(0, len(CONF), 7):
        conf = adopt_conf("startup.conf", CONF[:end], NEWEST)
        assert conf.lines or not CONF[:end].split("{", 1)[-1].strip() or end < 10, end


def test_one_vpp_has_one_startup_conf() -> None:
    with pytest.raises(UsageError, match="one VPP has one"):
        adopted({"a.conf": CONF, "b.conf": CONF}, "a.conf", "b.conf")


NATIVE = """\
devices {
  dev pci/0000:01:02.0 {
    driver iavf
    flags no-stats
    port 0 { name xe0 num-rx-queues 2 rx-queue-size 1024 args 'a=1, b=2' }
  }
  dev pci/0000:01:02.1 { driver iavf port 0 {} }
  dev pci/0000:01:02.2 { port 0 {} }
  dev platform/mvpp2 { port 1 { name ppio1 } }
}
"""


def test_the_devices_of_vpps_own_drivers_come_along_with_the_names_that_vpp_gives_them() -> None:
    found = adopted({"startup.conf": NATIVE}, "startup.conf")
    assert found.text.split("dataplane:\n")[1] == (
        "  devices:\n"
        "    '0000:01:02.0':\n"
        "      driver: iavf\n"
        "      name: xe0\n"
        "      rx-queues: 2\n"
        "      rx-descriptors: 1024\n"
        "    '0000:01:02.1':\n"
        "      driver: iavf\n"
        "      name: iavf1/0\n"
    )
    assert "  iavf1/0:\n    device-type: iavf\n    mtu: 1492\n" in found.text
    kept = [line.text for line in found.report.lines if line.outcome is LineOutcome.UNMANAGED]
    assert kept == [
        "devices dev flags no-stats",
        "devices dev port args 'a=1, b=2'",
        "devices dev pci/0000:01:02.2",
        "devices dev platform/mvpp2",
    ]


def test_a_ring_that_a_driver_does_not_take_stays_where_it_is() -> None:
    text = "devices { dev pci/0000:01:02.0 { driver iavf port 0 { name xe0 rx-queue-size 1000 } } }\n"
    found = adopted({"startup.conf": text}, "startup.conf")
    assert "rx-descriptors" not in found.text and "name: xe0" in found.text


@pytest.mark.parametrize(
    "key", ["corelist-workers 2-5", "corelist-workers 2,4,6,8", "coremask-workers 3c", "workers 4"]
)
def test_a_vpp_has_as_many_workers_as_its_startup_conf_names_cpus(key: str) -> None:
    conf = CONF.replace("corelist-workers 2-3", key)
    script = {"bootstrap.vpp": "set interface rx-placement xe0 queue 0 worker 3\n"}
    adoption = adopted({"startup.conf": conf, **script}, "startup.conf")
    assert "    rx-placement: { 0: worker3 }\n" in adoption.text
    script = {"bootstrap.vpp": "set interface rx-placement xe0 queue 0 worker 4\n"}
    adoption = adopted({"startup.conf": conf, **script}, "startup.conf")
    assert [line.number for line in adoption.report.lines if line.outcome is LineOutcome.FAULT] == [1]


def test_vpp_runs_the_last_of_several_scripts_alone() -> None:
    conf = CONF.replace("  exec", "  startup-config /etc/vpp/first.vpp\n  exec")
    first, second = "create loopback interface instance 1\n", "create loopback interface instance 2\n"
    adoption = adopted({"startup.conf": conf, "first.vpp": first, "bootstrap.vpp": second}, "startup.conf")
    assert "loop2" in adoption.text and "loop1" not in adoption.text
    fault = next(line for line in adoption.report.lines if line.outcome is LineOutcome.FAULT)
    assert (fault.text, fault.rule) == ("unix startup-config /etc/vpp/first.vpp", "adopt-does-nothing")


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("unix { cli-listen localhost:5002 }", True),
        ("unix { log /srv/vpp.log }", True),
        ("api-segment { gid operators }", False),
        ("memory { main-heap-page-size 1G }", False),
        ("statseg { per-node-counters off }", False),
        ("cpu { main-core 1 skip-cores 2 }", False),
        ("buffers { numa 0 { buffers 1000 } }", False),
        ("plugins { plugin dpdk_plugin.so { disable } }", False),
        ("plugins { plugin default { disable } plugin dpdk_plugin.so { enable skip-version-check } }", False),
    ],
)
def test_what_a_section_lacks_is_told_with_whether_startup_keeps_it(text: str, is_kept: bool) -> None:
    lines = [line for line in adopt_conf("a.conf", text, NEWEST).lines if line.outcome is LineOutcome.UNMANAGED]
    assert [line.why.endswith("keeps it in the file") for line in lines] == [is_kept]


@pytest.mark.parametrize(
    "text",
    [
        "unix { gid vpp } api-segment { gid vpp }",
        "unix { gid operators } api-segment { gid operators }",
        "unix { cli-listen /run/vpp/cli.sock log /var/log/vpp/vpp.log nodaemon full-coredump }",
        "memory { main-heap-page-size default-hugepage } statseg { page-size default-hugepage per-node-counters on }",
        "plugins { plugin default { disable } plugin ping_plugin.so { disable } }",
    ],
)
def test_what_startup_writes_by_itself_is_in_the_section(text: str) -> None:
    assert {line.outcome for line in adopt_conf("a.conf", text, NEWEST).lines} == {LineOutcome.DATAPLANE}


def test_devices_without_settings_are_in_the_list_too() -> None:
    text = "dpdk { dev 0000:03:00.0 dev 0000:04:00.0 { num-rx-queues 2 } dev 0000:05:00.0 {} }\n"
    found = adopted({"startup.conf": text}, "startup.conf")
    assert found.text.split("dataplane:\n")[1] == (
        "  dpdk:\n"
        "    devices:\n"
        "      '0000:03:00.0': {}\n"
        "      '0000:04:00.0':\n"
        "        rx-queues: 2\n"
        "      '0000:05:00.0': {}\n"
    )


def test_the_heap_of_old_releases_is_the_main_heap() -> None:
    conf = adopt_conf("a.conf", "heapsize 2G\ncpu { main-core 1 }\n", Release(24, 10))
    assert conf.settings == {"memory": {"main-heap": "2G"}, "cpu": {"main-core": 1}}
    assert {line.outcome for line in conf.lines} == {LineOutcome.DATAPLANE}


def test_the_workers_of_a_device_come_along() -> None:
    text = "cpu { main-core 1 workers 4 }\ndpdk { dev 0000:01:00.0 { num-rx-queues 3 workers 0-1,3 } }\n"
    found = adopted({"startup.conf": text}, "startup.conf")
    assert "        workers: [ 0, 1, 3 ]\n" in found.text
