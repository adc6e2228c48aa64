"""What rules look things up in."""

from vppcfg.config.load import parse
from vppcfg.entries.index import index_of


def test_nothing_is_missing_from_a_section_that_is_lost() -> None:
    index = index_of(parse({"interfaces": 5, "acls": 5}, [("interfaces",), ("acls",)]))
    assert index.has("anything")
    assert index.has_entry("acls", "anything", {})
    assert not index.has_entry("taps", "anything", {})
