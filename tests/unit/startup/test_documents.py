"""docs/tuning.md against the schema: every key of the section is there, and nothing else is."""

import re
from pathlib import Path

import pytest

import vppcfg
from vppcfg.config.schema.check import shape
from vppcfg.startup.file_difference import COST_TEXT
from vppcfg.startup.files import TEMPLATES

PAGE = (Path(vppcfg.__file__).parents[1] / "docs" / "tuning.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \|", re.MULTILINE)
HEADING = re.compile(r"^## ([a-z-]+)$", re.MULTILINE)
PARTS = {name: set(part.dict) for name, part in shape().includes.items() if name.startswith("dataplane")}


def test_every_part_of_the_section_has_a_heading() -> None:
    assert set(HEADING.findall(PAGE)) == PARTS["dataplane"]


@pytest.mark.parametrize("part", sorted(set(PARTS) - {"dataplane"}))
def test_every_key_has_a_row(part: str) -> None:
    assert PARTS[part] <= set(ROW.findall(PAGE))


def test_every_row_is_a_key() -> None:
    assert set(ROW.findall(PAGE)) <= set().union(*PARTS.values())


def test_the_files_and_their_costs_are_there() -> None:
    assert all(f"| `/{path}` |" in PAGE for path in TEMPLATES)
    assert all(text in PAGE for text in COST_TEXT.values())
