"""The wheel and the source distribution: built here, used from elsewhere."""

import os
import shutil
import site
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from vppcfg import __version__
from vppcfg.cli.arguments import IDENTITY

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py", "schema", "templates", "vppcfg")

pytestmark = pytest.mark.slow

CONFIGURATION = """
interfaces:
  GigabitEthernet1/0/0:
    mtu: 9000
    addresses: [ 192.0.2.1/24 ]
"""


def run(command: Sequence[str | Path], directory: Path, expected_code: int = 0, **environment: str) -> str:
    """Run a command with none of this process's Python settings and return its standard output."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}
    finished = subprocess.run(
        command, cwd=directory, env=clean | environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert finished.returncode == expected_code, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the build reads, so that it leaves nothing in the checkout."""
    copy = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (ROOT / name).exists():
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    run([*pip, "--wheel-dir", str(directory), str(source)], source)
    (built,) = directory.glob("vppcfg-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of a fresh virtual environment that holds the wheel; what it depends on is that of this process."""
    directory = tmp_path_factory.mktemp("installed")
    run([sys.executable, "-m", "venv", "--without-pip", "venv"], directory)
    python = directory / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    run([*pip, "--no-compile", str(wheel)], directory)
    (packages,) = (directory / "venv" / "lib").glob("python*/site-packages")
    for name in ("yaml", "yamale", "netaddr", "jinja2", "markupsafe", "vpp_papi"):
        link_dependency(name, packages)
    return directory / "venv" / "bin" / "vppcfg"


def link_dependency(name: str, packages: Path) -> None:
    """Let a package of this process be imported from another environment, without its neighbours."""
    for directory in map(Path, site.getsitepackages()):
        for found in (directory / name, *directory.glob(f"_{name}")):
            if found.exists():
                (packages / found.name).symlink_to(found)


def test_the_wheel_holds_the_package_its_data_and_its_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name == f"vppcfg-{__version__}-py3-none-any.whl"
    assert {
        "vppcfg/schema/vppcfg.yaml",
        "vppcfg/schema/vppcfg.schema.json",
        "vppcfg/py.typed",
        "vppcfg/cli/main.py",
    } <= set(names)
    assert [name for name in names if name.endswith("/LICENSE")]
    assert {name.partition("/")[0] for name in names} == {"vppcfg", f"vppcfg-{__version__}.dist-info"}


@pytest.mark.long
def test_the_source_distribution_builds_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    run([sys.executable, "setup.py", "-q", "sdist", "--dist-dir", tmp_path], source)
    (archive,) = tmp_path.glob("vppcfg-*.tar.gz")
    run(["tar", "-xzf", archive], tmp_path)
    (unpacked,) = (path for path in tmp_path.glob("vppcfg-*") if path.is_dir())
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "."]
    run(pip, unpacked)
    (rebuilt,) = unpacked.glob("*.whl")
    assert sorted(zipfile.ZipFile(rebuilt).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_the_installed_command_says_its_version(installed: Path, tmp_path: Path) -> None:
    assert run([installed, "--version"], tmp_path) == f"{IDENTITY}\n"


@pytest.mark.long
def test_pip_keeps_the_installed_vppcfg(installed: Path, wheel: Path, tmp_path: Path) -> None:
    """The public one has the same name and 1.2.4; a constraint keeps it out whatever its number."""

    def upgraded(constraints: str = "") -> str:
        pip = [sys.executable, "-m", "pip", "--python", str(installed.with_name("python")), "install", "--dry-run"]
        options = ["--upgrade", "--no-deps", "--no-index", "--find-links", str(tmp_path)]
        return run([*pip, *options, "vppcfg"], tmp_path, PIP_CONSTRAINT=constraints)

    write_empty_wheel(tmp_path, "1.2.4")
    assert "already satisfied" in upgraded()
    write_empty_wheel(tmp_path, "99.0")
    assert "Would install vppcfg-99.0" in upgraded()
    (tmp_path / "constraints.txt").write_text(f"vppcfg @ {wheel.as_uri()}\n")
    assert "vppcfg-99.0" not in upgraded(str(tmp_path / "constraints.txt"))


def write_empty_wheel(folder: Path, version: str) -> None:
    with zipfile.ZipFile(folder / f"vppcfg-{version}-py3-none-any.whl", "w") as archive:
        about = f"vppcfg-{version}.dist-info"
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: vppcfg\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")


def test_the_installed_command_checks_a_file(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(CONFIGURATION)
    (tmp_path / "bad.yaml").write_text(CONFIGURATION.replace("mtu: 9000", "mtu: 1"))
    run([installed, "check", "-c", "good.yaml"], tmp_path)
    run([installed, "check", "-c", "bad.yaml"], tmp_path, expected_code=3)


def test_the_installed_command_checks_a_file_without_vpp_papi(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "vpp_papi.py").write_text("raise ImportError('not needed for this')")
    (tmp_path / "good.yaml").write_text(CONFIGURATION)
    run([installed, "check", "-c", "good.yaml"], tmp_path, PYTHONPATH=str(tmp_path))
