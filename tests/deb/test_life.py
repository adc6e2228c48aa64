"""The life of a package on a Debian 12 and a Debian 13: installed, used, upgraded, removed, purged, in this order."""

import json
import re
from pathlib import Path

import pytest

from tests.deb.conftest import Packages
from tests.deb.debian import Debian
from tests.documents.conftest import shown_demo, timeless
from tests.hosts.trees import grow
from vppcfg import __version__
from vppcfg.cli.arguments import IDENTITY

DOC = "/usr/share/doc/vppcfg"
CONFIGURATION = "interfaces:\n  eth0: { mtu: 9000 }\n"
SERVICES = ("vppcfg.service", "vppcfg-watch.service")
STUB = "[Unit]\nDescription=VPP\n[Service]\nExecStart=/bin/true\n"
WORST_EXPOSURE = 4.0
"""Of 10, by systemd-analyze; above 5 it says MEDIUM, and without any hardening 9.6."""
UNCONFIRMED = """\
cd /root
vppcfg sim --socket vpp.sock --phy GigabitEthernet1/0/0 --phy GigabitEthernet3/0/0 2>/dev/null &
vppcfg apply --boot --state-dir state -a vpp.sock -c {examples}/l2xc.yaml >/dev/null 2>&1
setsid vppcfg apply --yes --confirm 0.5 --state-dir state -a vpp.sock -c {examples}/l3.yaml >/dev/null 2>&1
applied=$?
vppcfg plan --detailed-exitcode -a vpp.sock -c {examples}/l2xc.yaml >/dev/null 2>&1
before=$?
for _ in $(seq 240); do
    vppcfg plan --detailed-exitcode -a vpp.sock -c {examples}/l2xc.yaml >/dev/null 2>&1 && break
    sleep 0.5
done
vppcfg plan --detailed-exitcode -a vpp.sock -c {examples}/l2xc.yaml >/dev/null 2>&1
after=$?
rm -r state
kill %1
echo $applied $before $after
"""
"""The exit codes of the apply, and whether VPP is as the file before says: not at first (2), then again (0)."""
BEFORE = """\
vppcfg sim --socket /root/vpp.sock --phy GigabitEthernet1/0/0 --phy GigabitEthernet3/0/0 2>/dev/null &
vppcfg apply --boot --state-dir /root/state -a /root/vpp.sock -c {examples}/l2xc.yaml
kill %1
"""
SHOW_MODULES = "import sys; sys.argv = ['vppcfg', '--version']; exec(open('/usr/bin/vppcfg').read().split('from ')[0])"


def owner_and_mode(debian: Debian, path: str) -> str:
    return debian.run("stat", "--format=%U:%G %a", path).strip()


def is_enabled(debian: Debian, service: str) -> bool:
    """The link leads to a place that is none on this machine."""
    return any((folder / service).is_symlink() for folder in debian.path("/etc/systemd/system").glob("*.wants"))


def test_it_installs_from_debians_own_archive(debian: Debian, packages: Packages) -> None:
    debian.install(debian.put(packages.new))
    assert "install ok installed" in debian.run("dpkg-query", "--show", "--showformat=${Status}", "vppcfg")
    debian.run("dpkg", "--audit")


def test_installing_leaves_the_configuration_to_the_operator(debian: Debian) -> None:
    assert not debian.path("/etc/vpp").exists()
    assert debian.path(f"{DOC}/examples/vppcfg.yaml").is_file()


def test_the_state_directory_is_for_the_group_of_vpp(debian: Debian) -> None:
    assert owner_and_mode(debian, "/var/lib/vppcfg") == "root:vpp 2770"


def test_vpp_is_configured_when_it_starts_and_watched_on_request(debian: Debian) -> None:
    assert debian.path("/etc/systemd/system/vpp.service.wants/vppcfg.service").is_symlink()
    assert not is_enabled(debian, "vppcfg-watch.service")
    assert not is_enabled(debian, "vppcfg-metrics.service")


def test_what_needs_no_vpp_works(debian: Debian) -> None:
    assert debian.run("vppcfg", "--version") == f"{IDENTITY}\n"
    for example in ("router.yaml", "vppcfg.yaml"):
        debian.run("vppcfg", "check", "-c", f"{DOC}/examples/{example}")
    debian.run("vppcfg", "check", "-c", f"{DOC}/examples/broken/misspelt.yaml", expected_code=3)
    assert "comment { vppcfg create" in debian.run("vppcfg", "plan", "--novpp", "-c", f"{DOC}/examples/router.yaml")
    assert "CPU" in debian.run("vppcfg", "host")
    assert "l2xc-target-missing" in debian.run("vppcfg", "explain")
    assert "14,880,952 pps" in debian.run("vppcfg", "tune", "linerate", "10G")


def test_startup_conf_is_made_for_a_machine(debian: Debian) -> None:
    grow("fitlet2", debian.path("/srv/fitlet2"))
    shown = debian.run("vppcfg", "startup", "--root", "/srv/fitlet2", "-c", f"{DOC}/examples/router.yaml")
    assert "unix {" in shown


def test_the_tuners_editor_and_reports_work(debian: Debian) -> None:
    """They need ruamel.yaml and jinja2 in the releases that Debian has."""
    found = debian.run("vppcfg", "tune", "--trial", "64=1.48M:1.18M", "--format", "html")
    assert "<html" in found


def test_the_demo_prints_what_the_readme_shows(debian: Debian) -> None:
    assert timeless(debian.run("bash", f"{DOC}/demo.sh")) == shown_demo()


def test_an_unconfirmed_change_is_rolled_back_without_systemd(debian: Debian) -> None:
    debian.path("/root/unconfirmed").write_text(UNCONFIRMED.format(examples=f"{DOC}/examples"))
    assert debian.run("bash", "/root/unconfirmed").splitlines()[-1] == "0 2 0"


@pytest.mark.parametrize("module", ["vppcfg", "yamale", "vpp_papi", "MLRsearch"])
def test_nothing_that_is_bundled_shadows_anything(debian: Debian, module: str) -> None:
    missing = debian.run("/usr/bin/python3", "-c", f"import {module}", expected_code=1)
    assert f"No module named '{module}'" in missing


def test_the_systems_vpp_papi_goes_before_the_bundled_one(debian: Debian) -> None:
    of_system = debian.path("/usr/lib/python3/dist-packages/vpp_papi")
    show = f"{SHOW_MODULES}; from importlib.util import find_spec; print(find_spec('vpp_papi').origin)"
    assert debian.run("/usr/bin/python3", "-c", show) == "/usr/share/vppcfg/bundled/vpp_papi/__init__.py\n"
    of_system.mkdir()
    (of_system / "__init__.py").touch()
    assert debian.run("/usr/bin/python3", "-c", show) == "/usr/lib/python3/dist-packages/vpp_papi/__init__.py\n"
    (of_system / "__init__.py").unlink()
    of_system.rmdir()


def test_a_vppcfg_from_elsewhere_does_not_get_in_the_way(debian: Debian) -> None:
    other = Path(debian.run("/usr/bin/python3", "-c", "import site; print(site.getsitepackages()[0])").strip())
    debian.path(f"{other}/vppcfg").mkdir(parents=True)
    debian.path(f"{other}/vppcfg/__init__.py").write_text("raise RuntimeError('another vppcfg')")
    assert debian.run("vppcfg", "--version") == f"{IDENTITY}\n"
    debian.run("rm", "-r", f"{other}/vppcfg")


def test_a_public_package_is_replaced_and_does_not_come_back(debian: Debian, packages: Packages) -> None:
    """Packages of the public vppcfg have the same name; stand-ins for them, one of them already there."""
    debian.run("apt-get", "purge", "--yes", "vppcfg")
    debian.install("--no-install-recommends", "apt-utils")
    for version in ("1.2.4", "1.9", "3.0"):
        tree = debian.path(f"/srv/public/{version}")
        (tree / "DEBIAN").mkdir(parents=True)
        about = (
            f"Package: vppcfg\nVersion: {version}\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: x\n"
        )
        (tree / "DEBIAN/control").write_text(about)
        (tree / "usr/bin").mkdir(parents=True)
        (tree / "usr/bin/vppcfg").write_text("#!/bin/sh\necho public\n")
        debian.run("chmod", "+x", f"/srv/public/{version}/usr/bin/vppcfg")
        debian.run("dpkg-deb", "--build", f"/srv/public/{version}", f"/srv/public/vppcfg_{version}_all.deb")
    debian.install("/srv/public/vppcfg_1.2.4_all.deb")
    assert debian.run("vppcfg") == "public\n"
    debian.run("sh", "-c", "cd /srv/public && apt-ftparchive packages . >Packages")
    source = debian.path("/etc/apt/sources.list.d/public.list")
    source.write_text("deb [trusted=yes] file:/srv/public ./\n")
    debian.run("apt-get", "update", "--quiet")
    debian.install(debian.put(packages.new))
    assert debian.run("vppcfg", "--version") == f"{IDENTITY}\n"
    debian.run("apt-get", "dist-upgrade", "--yes")
    debian.install("vppcfg")
    assert debian.run("vppcfg", "--version") == f"{IDENTITY}\n"
    source.unlink()
    debian.run("rm", "-r", "/srv/public")
    debian.run("apt-get", "update", "--quiet")


def test_manual_pages_and_completion_are_in_place(debian: Debian) -> None:
    debian.install("man-db", "bash-completion")
    listed = debian.run("dpkg", "--listfiles", "vppcfg").splitlines()
    pages = {Path(path).name for path in listed if path.startswith("/usr/share/man/man")}
    assert {"vppcfg.1.gz", "vppcfg-apply.1.gz", "vppcfg-tune-capture.1.gz", "vppcfg.yaml.5.gz"} <= pages
    assert "/usr/share/bash-completion/completions/vppcfg" in listed
    offered = debian.run(
        "bash",
        "-c",
        "source /usr/share/bash-completion/bash_completion; _completion_loader vppcfg; COMP_WORDS=(vppcfg pl)"
        " COMP_CWORD=1; _vppcfg; echo ${COMPREPLY[@]}",
    )
    assert offered == "plan\n"


def test_systemd_accepts_the_units_and_calls_them_confined(debian: Debian) -> None:
    debian.install("systemd")
    debian.path("/etc/systemd/system/vpp.service").write_text(STUB)
    for service in SERVICES:
        assert debian.run("systemd-analyze", "verify", "--man=no", f"/lib/systemd/system/{service}") == ""
        judged = debian.run("systemd-analyze", "security", "--offline=true", f"/lib/systemd/system/{service}")
        exposure = re.search(rf"Overall exposure level for {re.escape(service)}: ([\d.]+)", judged)
        assert exposure is not None
        assert float(exposure[1]) <= WORST_EXPOSURE, judged
    debian.path("/etc/systemd/system/vpp.service").unlink()


def test_an_upgrade_keeps_journal_configuration_and_what_was_switched_off(debian: Debian, packages: Packages) -> None:
    debian.run("apt-get", "purge", "--yes", "vppcfg")
    debian.install(debian.put(packages.before))
    debian.path("/etc/vpp").mkdir()
    debian.path("/etc/vpp/vppcfg.yaml").write_text(CONFIGURATION)
    debian.path("/var/lib/vppcfg/run%2Fvpp%2Fapi.sock").mkdir()
    debian.path("/var/lib/vppcfg/run%2Fvpp%2Fapi.sock/entry").write_text("kept")
    settings = debian.path("/etc/default/vppcfg")
    settings.write_text(settings.read_text().replace('WATCH_OPTIONS=""', 'WATCH_OPTIONS="--interval 5"'))
    debian.path("/root/before").write_text(BEFORE.format(examples=f"{DOC}/examples"))
    debian.run("bash", "/root/before")
    debian.run("systemctl", "disable", "vppcfg.service")
    debian.run("systemctl", "enable", "vppcfg-watch.service")
    debian.install(debian.put(packages.new))
    history = debian.run("vppcfg", "history", "--format", "json", "--state-dir", "/root/state", "-a", "/root/vpp.sock")
    assert [change["status"] for change in json.loads(history)["changes"]] == ["applied"]
    debian.run("rm", "-r", "/root/state")
    assert debian.path("/etc/vpp/vppcfg.yaml").read_text() == CONFIGURATION
    assert debian.path("/var/lib/vppcfg/run%2Fvpp%2Fapi.sock/entry").read_text() == "kept"
    assert "--interval 5" in settings.read_text()
    assert [is_enabled(debian, service) for service in SERVICES] == [False, True]
    assert owner_and_mode(debian, "/var/lib/vppcfg") == "root:vpp 2770"


def test_the_packages_own_tests_pass(debian: Debian, packages: Packages) -> None:
    debian.run("systemctl", "enable", "vppcfg.service")
    debian.run("systemctl", "disable", "vppcfg-watch.service")
    debian.install("--no-install-recommends", "autopkgtest", "dpkg-dev")
    source = packages.new.with_name(packages.new.name.replace("_all.deb", ".dsc"))
    debian.put(source.with_suffix(".tar.xz"))
    said = debian.run("autopkgtest", "--no-built-binaries", debian.put(source), "--", "null")
    _, summary = said.rsplit("summary", 1)
    assert re.findall(r"^(\w+) +PASS$", summary, re.MULTILINE) == ["commands", "demo", "units", "completion"]


def test_lintian_finds_nothing(debian: Debian) -> None:
    debian.install("--no-install-recommends", "lintian")
    found = debian.run("lintian", "--allow-root", "--fail-on", "error,warning", f"/root/vppcfg_{__version__}_all.deb")
    assert found == ""


def test_removing_keeps_journal_and_configuration(debian: Debian) -> None:
    debian.run("apt-get", "remove", "--yes", "vppcfg")
    assert not debian.path("/usr/bin/vppcfg").exists()
    assert not debian.path("/usr/share/vppcfg").exists()
    assert debian.path("/var/lib/vppcfg/run%2Fvpp%2Fapi.sock/entry").read_text() == "kept"
    assert debian.path("/etc/vpp/vppcfg.yaml").read_text() == CONFIGURATION
    assert debian.path("/etc/default/vppcfg").is_file()


def test_purging_leaves_nothing_but_what_the_operator_wrote(debian: Debian) -> None:
    debian.run("apt-get", "purge", "--yes", "vppcfg")
    found = debian.run("find", "/", "-xdev", "-name", "*vppcfg*", "-not", "-path", "/proc/*")
    assert sorted(set(found.split()) - {"/root/" + path.name for path in debian.path("/root").iterdir()}) == [
        "/etc/vpp/vppcfg.yaml"
    ]
