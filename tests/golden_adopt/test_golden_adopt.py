"""Scripts of the kind that operators publish, each with the configuration, the rest and the report that come out.

A folder has `script.vpp`; `--update-adopt` writes the other files, whose difference is then to be read.
"""

from pathlib import Path

import pytest

from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.report import text_of
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.adopt.startup_conf import adopt_conf
from vppcfg.common.release import NEWEST

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/script.vpp"))


def adopted(case: Path, until: int | None = None) -> Adoption:
    """Adopt the script of a case, or so many characters of it."""
    script = Script(name="script.vpp", text=(case / "script.vpp").read_text()[:until])
    return adopt_scripts([script], ReplaySetup(release=NEWEST), lambda *_: None)


def files_of(adoption: Adoption) -> dict[str, str]:
    """Return what an adoption writes, by file."""
    report = "".join(f"{text}\n" for _, text in text_of(adoption.report))
    scripts = {"vppcfg-rest.vpp": adoption.rest.first_text, "vppcfg-rest-after.vpp": adoption.rest.last_text}
    if not adoption.rest.first:
        scripts = {"vppcfg-rest.vpp": adoption.rest.last_text}
    rest = {name: text for name, text in scripts.items() if text}
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


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_script_that_is_cut_after_any_character_has_an_outcome_for_every_line(case: Path) -> None:
    text = (case / "script.vpp").read_text()
    for end in range(len(text)):
        lines = len(text[:end].split("\n")) - text[:end].endswith("\n")
        adoption = adopted(case, end)
        assert sum(adoption.report.counts().values()) == len(adoption.report.lines) <= lines, end


CONFS = sorted(Path(__file__).parents[1].glob("golden_startup_check/*.conf"))


@pytest.mark.long
@pytest.mark.parametrize("conf", CONFS, ids=lambda conf: conf.stem)
def test_a_startup_conf_that_is_cut_after_any_character_is_reported(conf: Path) -> None:
    text = conf.read_text()
    for end in range(len(text)):
        lines = adopt_conf("startup.conf", text[:end], NEWEST).lines
        assert all(1 <= line.number <= text[:end].count("\n") + 1 for line in lines), end
