"""schema/vppcfg.yaml has what the keys of kinds declare."""

from pathlib import Path

from vppcfg.config.schema.text import declared_parts, with_parts

SCHEMA = Path(__file__).resolve().parents[2] / "schema" / "vppcfg.yaml"


def test_the_schema_has_the_parts_of_declared_kinds() -> None:
    """`make docs` writes them."""
    schema = SCHEMA.read_text(encoding="utf-8")
    assert with_parts(schema, declared_parts()) == schema


def test_a_changed_part_is_written_in_its_place_and_a_new_one_at_the_end() -> None:
    schema = "gres: map(include('gre'))\n---\ngre:\n  old: int()\n  older: int()\n\nipip:\n  left: int()\n"
    assert with_parts(schema, {"gre": ["new: int()"], "added": ["key: bool()"]}) == (
        "gres: map(include('gre'))\n---\ngre:\n  new: int()\n\nipip:\n  left: int()\n\nadded:\n  key: bool()\n"
    )
