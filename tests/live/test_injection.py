"""A real VPP takes every text that a file may hold for what it is: one word, typed or over the API."""

from pathlib import Path

import pytest
import yaml

from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
DESCRIPTIONS = (
    "a } set interface state GigabitEthernet3/0/0 down comment {",
    "a\nset interface state GigabitEthernet3/0/0 down",
    "$(PATH) $HOME `id` # no comment // nor this",
    "100 %s %d %v; a | b & c > d < e",
    "\\ \\n \t \r",
    " two  spaces  and one behind ",
    "-1",
    "}",
    "ÄÖ é \N{SNOWMAN} \u202e \u00a0",
)


@pytest.fixture(params=DESCRIPTIONS)
def place(request: pytest.FixtureRequest, vpp: RealVpp, tmp_path: Path) -> list[str]:
    """Return the options for a file with a description of each kind, and for the VPP."""
    file = {
        "interfaces": {
            PORTS[0]: {"description": request.param, "sub-interfaces": {100: {"description": request.param}}},
            PORTS[1]: {"state": "up"},
        },
        "loopbacks": {"loop7": {"description": request.param}},
        "bridgedomains": {"bd7": {"description": request.param}},
    }
    (tmp_path / "router.yaml").write_text(yaml.safe_dump(file, allow_unicode=True))
    (tmp_path / "nothing.yaml").write_text(yaml.safe_dump({"interfaces": {port: {"state": "up"} for port in PORTS}}))
    assert main(["apply", "--yes", "-c", str(tmp_path / "nothing.yaml"), "-a", str(vpp.socket_path)]) == ExitCode.DONE
    return ["-c", str(tmp_path / "router.yaml"), "-a", str(vpp.socket_path)]


def test_a_description_is_typed_and_nothing_else_happens(vpp: RealVpp, place: list[str], tmp_path: Path) -> None:
    assert main(["plan", *place, "-o", str(tmp_path / "plan.txt")]) == ExitCode.DONE
    retval, text = vpp.cli(f"exec {tmp_path / 'plan.txt'}")
    assert retval == 0, text
    assert main(["plan", *place, "--detailed-exitcode"]) == ExitCode.DONE


def test_a_description_goes_over_the_api_and_nothing_else_happens(place: list[str]) -> None:
    assert main(["apply", "--yes", *place]) == ExitCode.DONE
    assert main(["plan", *place, "--detailed-exitcode"]) == ExitCode.DONE
