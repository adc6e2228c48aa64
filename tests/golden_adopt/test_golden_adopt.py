"""Scripts of the kind that operators publish, each with the configuration, the rest and the report that come out.

A folder has `script.vpp`; `--update-adopt` writes the other files, whose difference is then to be read.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from vppcfg.adopt.adoption import Adoption, Ground, Script, adopt_scripts
from vppcfg.adopt.report import text_of
from vppcfg.common.release import NEWEST

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/script.vpp"))


def adopted(case: Path) -> Adoption:
    script = Script(name="script.vpp", text=(case / "script.vpp").read_text())
    return adopt_scripts([script], Ground(release=NEWEST), lambda *_: None)


def files_of(adoption: Adoption) -> dict[str, str]:
    """Return what an adoption writes, by file."""
    report = "".join(f"{text}\n" for _, text in text_of(adoption.report))
    rest = {"vppcfg-rest.vpp": adoption.rest.text} if adoption.rest.commands else {}
    return {"vppcfg.yaml": adoption.text, "report.txt": report, **rest}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_adopted(case: Path, pytestconfig: pytest.Config) -> None:
    found = files_of(adopted(case))
    if pytestconfig.getoption("--update-adopt", default=False):
        for name, text in found.items():
            (case / name).write_text(text)
    expected = {path.name: path.read_text() for path in case.iterdir() if path.name != "script.vpp"}
    assert found == expected


def test_there_are_ten() -> None:
    assert len(CASES) >= 10
