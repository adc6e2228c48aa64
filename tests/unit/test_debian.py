"""What of the Debian package can be told without building it: `make test-deb` builds, installs and boots it."""

import ast
import configparser
import re
import shlex
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from vppcfg import __version__
from vppcfg.cli.arguments import build_parser
from vppcfg.cli.commands import all_commands
from vppcfg.config.load import parse_text
from vppcfg.transaction import watchdog

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "debian"
PACKAGE_OF = {
    "jinja2": "python3-jinja2",
    "netaddr": "python3-netaddr",
    "pyroute2": "python3-pyroute2",
    "ruamel": "python3-ruamel.yaml",
    "yaml": "python3-yaml",
    "zmq": "python3-zmq",
}
"""Which Debian package brings a module."""
IN_DEBIAN_12 = {
    "jinja2": "3.1.2",
    "netaddr": "0.8.0",
    "pyroute2": "0.7.2",
    "pyyaml": "6.0",
    "pyzmq": "24.0",
    "ruamel.yaml": "0.17.21",
}
"""By name on PyPI; https://packages.debian.org/bookworm/"""
ONLY_TO_BUILD = {"markdown_it"}
SERVICES = {
    "vppcfg.service": DEBIAN / "vppcfg.service",
    "vppcfg-watch.service": DEBIAN / "vppcfg.vppcfg-watch.service",
    "vppcfg-metrics.service": DEBIAN / "vppcfg.vppcfg-metrics.service",
}
SETTINGS = {"-/etc/default/vppcfg": "vppcfg.default", "-/etc/default/vppcfg-metrics": "vppcfg.vppcfg-metrics.default"}
CHANGING = ("vppcfg.service", "vppcfg-watch.service")
"""Those that may change VPP and Linux."""
every_service = pytest.mark.parametrize("service", SERVICES)


_DEPENDENCY = r"^\| ([\w.]+) \| ([\d.]+)(?:; only for load tests)? \| (.+?) \|"


def field(name: str) -> list[str]:
    """Return the entries of a field of debian/control, without versions."""
    text = re.search(rf"^{name}:((?:\n? .*)+)", (DEBIAN / "control").read_text(), re.MULTILINE)
    assert text is not None
    return [entry.split()[0] for entry in text[1].replace("\n", " ").split(",") if entry.strip()]


def bundled() -> dict[str, str]:
    """Return the version of each module that the package carries itself."""
    return dict(
        re.findall(r"^(\w+)==(\S+) --hash=sha256:[0-9a-f]{64}$", (DEBIAN / "bundled.txt").read_text(), re.MULTILINE)
    )


def imported() -> set[str]:
    """Return the modules from outside the standard library that vppcfg imports, or reads files of."""
    wanted = set(PACKAGE_OF) | set(bundled()) | ONLY_TO_BUILD | declared()
    found = set()
    for text in (path.read_text() for path in (ROOT / "vppcfg").rglob("*.py")):
        found |= set(re.findall(r'find_spec\("(\w+)"\)', text))
        if re.search(rf"\b(?:import|from) .*\b(?:{'|'.join(wanted)})\b", text):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found.add((node.module or "").partition(".")[0])
    return found & wanted


def declared() -> set[str]:
    """Return what pyproject.toml asks for, by the names of modules."""
    text = (ROOT / "pyproject.toml").read_text()
    (block,) = re.findall(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    return {name.partition(".")[0] for name in re.findall(r'"([\w.]+)>=', block)} - {"pyyaml", "pyzmq"}


def unit(service: str) -> configparser.RawConfigParser:
    """Return a unit file; of a key that stands twice, the last."""
    parser = configparser.RawConfigParser(strict=False, comment_prefixes="#", delimiters="=")
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(SERVICES[service])
    return parser


def test_the_package_depends_on_what_is_imported_or_carries_it() -> None:
    packages = {*field("Depends"), *field("Recommends"), *field("Suggests")}
    depended = {module for module, package in PACKAGE_OF.items() if package in packages}
    assert imported() - ONLY_TO_BUILD == depended | set(bundled())


def test_the_licence_of_what_is_bundled_is_in_the_package() -> None:
    text = (DEBIAN / "copyright").read_text()
    for name in bundled():
        stanza = re.search(rf"^Files: debian/bundled/{name}/\*\nCopyright: .+\nLicense: (\S+)$", text, re.MULTILINE)
        assert stanza is not None, name
        assert re.search(rf"^License: {re.escape(stanza[1])}\n .", text, re.MULTILINE), "its text"


def test_the_documents_list_every_dependency_with_its_version_and_licence() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    extra = re.search(r"^loadtest = \[(.*?)\]", text, re.MULTILINE)
    assert block is not None and extra is not None
    needed = re.findall(r'"([\w.]+)>=([\d.]+)"', block[1]) + re.findall(r'"([\w.]+)>=([\d.]+)"', extra[1])
    rows = re.findall(_DEPENDENCY, (ROOT / "docs" / "install.md").read_text(), re.MULTILINE)
    assert [(name, version) for name, version, _ in rows] == sorted(needed)
    assert all(licence for _, _, licence in rows)


def test_what_debian_12_has_is_new_enough() -> None:
    asked = dict(re.findall(r'"([\w.]+)>=([\d.]+)"', (ROOT / "pyproject.toml").read_text()))
    for name, version in (IN_DEBIAN_12 | bundled()).items():
        assert numbers(version) >= numbers(asked[name])


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


@every_service
def test_a_service_runs_a_command_line_that_vppcfg_understands(service: str) -> None:
    program, *words = shlex.split(unit(service)["Service"]["ExecStart"])
    assert program == "/usr/bin/vppcfg"
    arguments = [word for word in words if not word.startswith("$")]
    assert build_parser(all_commands()).parse_args(arguments).command == arguments[0]


@every_service
def test_the_options_of_a_service_have_a_default_that_can_be_set(service: str) -> None:
    (variable,) = re.findall(r"\$(\w+)", unit(service)["Service"]["ExecStart"])
    file = SETTINGS[unit(service)["Service"]["EnvironmentFile"]]
    assert f'\n{variable}=""\n' in (DEBIAN / file).read_text()


def test_an_upgrade_from_1_0_asks_nothing_about_edited_settings() -> None:
    """Of a file that a release and an operator have changed, dpkg asks, and without a terminal it stops half-way."""
    of_1_0 = "2f19c92a2c37d3d20778b1b2c0d2531bfe2ea3d1529ebff9cf45dc1182951de3"
    assert sha256((DEBIAN / "vppcfg.default").read_bytes()).hexdigest() == of_1_0


@every_service
def test_a_service_is_confined(service: str) -> None:
    settings = unit(service)["Service"]
    assert settings["ProtectSystem"] == "strict"
    assert settings["NoNewPrivileges"] == "yes"
    if service in CHANGING:
        assert settings["ReadWritePaths"].startswith("-/var/lib/vppcfg -/run/vppcfg")
    else:
        assert (settings["CapabilityBoundingSet"], settings["DynamicUser"]) == ("", "yes")


def test_both_services_are_confined_alike() -> None:
    confining = re.compile("Cap|Group|IP|Lock|Memory|NoNew|Private|Protect|Restrict[A-OQ-Z]|System|UMask")
    first, second = (
        {key: value for key, value in unit(service)["Service"].items() if confining.match(key)} for service in CHANGING
    )
    assert first == second


def test_the_unit_that_goes_back_is_confined_as_the_service_is() -> None:
    """But for the group, and for what would hide the places that are somebody's choice."""
    known = set(re.findall(r"^(\w+=.*)$", SERVICES["vppcfg.service"].read_text(), re.MULTILINE))
    confining = re.compile("Cap|IP|Lock|Memory|NoNew|Private|Protect|Restrict[A-OQ-Z]|System")
    assert {line for line in known if confining.match(line)} - {"PrivateTmp=yes"} == set(watchdog._CONFINEMENT)


@every_service
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_calls_no_service_exposed(service: str, tmp_path: Path) -> None:
    (tmp_path / service).write_bytes(SERVICES[service].read_bytes())
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(tmp_path / service)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if "offline" in said.stderr or "/run/systemd" in said.stderr:
        pytest.skip("this systemd-analyze looks at running services only, or at none where systemd does not run")
    exposure = re.search(r"exposure level for \S+: ([\d.]+)", said.stdout)
    assert exposure is not None, said
    assert float(exposure[1]) < 3.0


def test_a_retry_that_mends_nothing_is_not_made() -> None:
    assert unit("vppcfg.service")["Service"]["RestartPreventExitStatus"] == "3 5 7 8"


def test_the_version_stands_in_one_place() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    elsewhere = ("tests/", "docs/", "vppcfg/", "ansible/")
    names = [name for name in listed.split("\0") if name and not name.startswith(elsewhere)]
    own = re.compile(rf"version\W*{re.escape(__version__)}\b|vppcfg[ (_-]*{re.escape(__version__)}\b", re.IGNORECASE)
    assert [name for name in names if own.search((ROOT / name).read_text())] == []
    assert f'__version__ = "{__version__}"' in (ROOT / "vppcfg" / "__init__.py").read_text()
    galaxy = (ROOT / "ansible" / "vppcfg" / "vppcfg" / "galaxy.yml").read_text()
    assert f"\nversion: {__version__}\n" in galaxy, "the collection is released with vppcfg"


def test_the_example_is_a_configuration_without_a_problem() -> None:
    assert parse_text((DEBIAN / "vppcfg.yaml").read_bytes(), "vppcfg.yaml").problems == ()


@pytest.mark.parametrize("script", ["build", "launcher", "rules", "vppcfg.postinst", "vppcfg.postrm", "vppcfg.prerm"])
def test_a_script_is_understood_by_its_interpreter(script: str) -> None:
    text = (DEBIAN / script).read_text()
    shell = re.match(r"#!(/bin/(?:ba)?sh)", text)
    if shell:
        subprocess.run([shell[1], "-n", DEBIAN / script], check=True)
    elif "python" in text.partition("\n")[0]:
        ast.parse(text)
    else:
        subprocess.run(["make", "-n", "-f", DEBIAN / script, "override_dh_auto_build"], check=True, capture_output=True)
