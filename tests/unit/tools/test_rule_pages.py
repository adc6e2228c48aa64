"""The reference of rules: every rule is on one page, and the pages in docs/ are up to date."""

import re
from pathlib import Path

import pytest

from tools.rule_pages import as_documents, group_of, rule_groups, write
from vppcfg.config.explain import explain, explanations

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_pages_are_up_to_date() -> None:
    documents = as_documents()
    assert {f"rules/{page.name}" for page in (DOCS / "rules").iterdir()} == documents.keys() - {"rules.md"}
    for name, text in documents.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"{name} is not up to date: run `make docs`"


def test_every_rule_is_on_one_page_and_the_index_leads_there() -> None:
    documents = as_documents()
    headings = {
        (page, heading)
        for page, text in documents.items()
        for heading in re.findall(r"^## ([a-z0-9-]+)$", text, re.MULTILINE)
    }
    linked = set(re.findall(r"\]\(([^)#]+)#([a-z0-9-]+)\)", documents["rules.md"]))
    assert headings == linked
    assert sorted(rule for _, rule in headings) == sorted(explanations())


def test_no_group_is_empty() -> None:
    assert {group_of(entry).page for entry in explanations().values()} == {group.page for group in rule_groups()}


@pytest.mark.parametrize(
    ("rule", "page"),
    [
        *(("yaml-key", "reading"), ("sub-mtu", "sub-interfaces"), ("sub-lcp-parent", "linux")),
        *(("bond-undefined", "bonds"), ("interface-device", "dataplane"), ("vrf-taken", "router")),
        *(("fleet-vxlan-vni", "fleet"), ("adopt-vrf", "adopt"), ("conf-cpu", "startup-conf"), ("up-file", "upgrade")),
        *(("check-kind", "changes"), ("mac-zero", "interfaces")),
    ],
)
def test_a_rule_stands_where_it_is_looked_for(rule: str, page: str) -> None:
    assert group_of(explain(rule)).page == page


def sections() -> dict[str, str]:
    """Return what the pages have below the heading of each rule."""
    text = "\n".join(text for name, text in as_documents().items() if name != "rules.md")
    return dict(re.findall(r"^## (\S+)\n(.*?)(?=^##? |\Z)", text, re.MULTILINE | re.DOTALL))


def test_both_examples_of_a_rule_can_be_read_from_the_page() -> None:
    shown = sections()
    for entry in explanations().values():
        lines = "".join(re.findall(r"^```diff\n(.*?)^```$", shown[entry.rule], re.MULTILINE | re.DOTALL)).splitlines()
        sides = ["".join(line[1:] + "\n" for line in lines if line[:1] != other) for other in "+-"]
        assert sides == [entry.breaks or "", entry.mends or ""], entry.rule


def test_who_finds_a_rule_is_at_the_rule_or_once_at_the_head_of_its_page() -> None:
    pages, shown = as_documents(), sections()
    for entry in explanations().values():
        head = pages[f"rules/{group_of(entry).page}.md"].partition("\n## ")[0]
        assert entry.finder in head + shown[entry.rule], entry.rule
        assert not entry.finder or (entry.finder in head) != (entry.finder in shown[entry.rule]), entry.rule


def test_the_page_of_a_group_that_is_no_more_is_removed(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "former.md").write_text("")
    write(tmp_path)
    assert {page.name for page in (tmp_path / "rules").iterdir()} == {f"{group.page}.md" for group in rule_groups()}
