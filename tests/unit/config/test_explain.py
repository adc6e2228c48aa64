"""The explanations: every rule has one, every example does what it says, and the page is up to date."""

import ast
import re
from pathlib import Path

import pytest

import vppcfg
from vppcfg.config.explain import WIDTH, Explanation, as_text, explain, explanations
from vppcfg.config.fleet import check_fleet
from vppcfg.config.load import parse_text
from vppcfg.entries.configuration import EncapConfig, TunnelConfig
from vppcfg.errors import UsageError
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.problem import Problem, Severity

PACKAGE = Path(vppcfg.__file__).parent
KNOWN = explanations()
EXAMPLES = [entry for entry in KNOWN.values() if entry.breaks is not None and not entry.needs_fleet]
FLEETS = [entry for entry in KNOWN.values() if entry.needs_fleet]
WITHOUT_EXAMPLE = {
    *("yaml-encoding", "yaml-character", "merge-kind"),
    *(
        *("yaml-size", "too-many-problems", "acl-rules-many", "acl-rules-most", "macip-rules-most"),
        *("macip-shapes-most", "ipfix-frozen", "ipfix-stateless"),
    ),
}
"""Their breaking files are bytes that cannot be shown, which yaml/test_errors.py has, several, or large."""
REPORTERS = {
    *("_problem", "_bvi_problem", "_report", "_unreadable", "problem_at", "problem", "lacks", "has_plugin", "finding"),
    *("warning", "notice", "risk"),
}
"""Functions that take the id of a rule as one of their first two arguments."""
IN_TABLES = {
    *("schema-type", "sub-mtu", "qinx-mtu"),
    *("bond-member-lcp", "bond-member-address", "bond-member-subs", "bond-member-mac"),
    *("bd-member-lcp", "bd-member-address", "acl-source-empty", "acl-destination-empty"),
    *(section.rule(what) for section in VIRTUAL_INTERFACES if section.word for what in ("id", "undefined")),
    *(section.rule("no-interface") for section in VIRTUAL_INTERFACES if not section.needs_interface),
    *(
        section.rule(what)
        for section in VIRTUAL_INTERFACES
        if issubclass(section.config, TunnelConfig)
        for what in ("family", "self", "remote-own")
    ),
    *("gre-remote", "ipip-remote"),
    *(section.rule("local-missing") for section in VIRTUAL_INTERFACES if issubclass(section.config, EncapConfig)),
    *("acl-unused", "macip-unused", "vrf-unused", "acl-host-bits", "prefixlist-host-bits"),
    *("gre-l3", "ipip-l3", "wireguard-l3", "memif-l3", "conf-unclosed"),
    *("placement-missing", "tx-placement-gap", "macip-rules-most", "macip-shapes-most"),
    *(f"fleet-{word}-{what}" for word in ("vxlan", "gre", "ipip") for what in ("one-sided", "nobody")),
    *("fleet-vxlan-vni", "fleet-vxlan-port", "fleet-vxlan-mtu"),
    *("fleet-gre-mode", "fleet-gre-key", "fleet-gre-session", "fleet-gre-mtu", "fleet-ipip-mtu"),
}
"""Rules whose ids stand in a table, or are put together."""
RULE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


def rules_in_code() -> set[str]:
    """Return every text that is given as a rule's id, by keyword or by position."""
    found: set[str] = set()
    for path in (
        file
        for layer in ("config", "entries", "kinds", "routing_daemons", "startup")
        for file in (PACKAGE / layer).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "rule" and isinstance(node.value, ast.Constant):
                found.add(str(node.value.value))
            if isinstance(node, ast.Call):
                texts = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
                if ast.unparse(node.func).rpartition(".")[2] in REPORTERS:
                    ids = [text for text in texts if isinstance(text, str) and RULE.fullmatch(text)]
                    found |= {*ids[:1]}  # a key that follows may look like one
    return found | rules_of_adoption() | rules_of_upgrades()


def rules_of_adoption() -> set[str]:
    """Return the rules of `adopt`, which stand wherever a line gets its outcome, or in a text, and all begin alike."""
    nodes = (node for file in (PACKAGE / "adopt").rglob("*.py") for node in ast.walk(ast.parse(file.read_text())))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {rule for text in texts for rule in re.findall(r"\badopt(?:-[a-z]+)+", text)}


def rules_of_upgrades() -> set[str]:
    """Return the rules of `upgrade`, which stand in records of findings and notes and all begin alike."""
    nodes = (node for file in (PACKAGE / "upgrade").rglob("*.py") for node in ast.walk(ast.parse(file.read_text())))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in texts if re.fullmatch(r"up(-[a-z0-9]+)+", text)}


def test_every_rule_in_the_code_is_explained_and_no_other() -> None:
    assert rules_in_code() | IN_TABLES == set(KNOWN)


def problems_of(example: str | None, rule: str) -> list[Problem]:
    """Return what is found in an example, without notices of other rules: it is short, and uses little of itself."""
    problems = parse_text(str(example), rule).problems
    return [problem for problem in problems if problem.severity is not Severity.NOTICE or problem.rule == rule]


def test_the_breaking_example_breaks_this_rule_alone() -> None:
    for entry in EXAMPLES:
        problems = problems_of(entry.breaks, entry.rule)
        assert {problem.rule for problem in problems} == {entry.rule}
        is_warning = all(problem.severity is Severity.WARNING for problem in problems)
        assert is_warning == ("(a warning)" in entry.title), entry.rule


def test_the_mending_example_has_no_problem() -> None:
    assert [problem for entry in EXAMPLES for problem in problems_of(entry.mends, entry.rule)] == []
    assert [entry.rule for entry in EXAMPLES if entry.mends is None] == []


def fleet_of(example: str, folder: Path) -> set[tuple[str, Severity]]:
    """Write the files of an example into a folder, and return what is found in it."""
    for name, text in re.findall(r"# (\S+)\n((?:[^#\n].*\n)+)", example):
        (folder / name).write_text(text)
    return {(problem.rule, problem.severity) for problem in check_fleet(str(folder)).problems}


@pytest.mark.parametrize("entry", FLEETS, ids=lambda entry: entry.rule)
def test_the_examples_of_files_beside_each_other_break_this_rule_alone_and_mend_it(
    entry: Explanation, tmp_path: Path
) -> None:
    if entry.breaks is None or entry.mends is None:
        assert entry.rule == "fleet-file", "no example is a file that cannot be read"
        return
    for name in ("breaks", "mends"):
        (tmp_path / name).mkdir()
    severity = Severity.WARNING if "(a warning)" in entry.title else Severity.ERROR
    assert fleet_of(entry.breaks, tmp_path / "breaks") == {(entry.rule, severity)}
    assert fleet_of(entry.mends, tmp_path / "mends") == set()


def test_only_what_needs_a_vpp_or_cannot_be_shown_has_no_example() -> None:
    assert {rule for rule, entry in KNOWN.items() if entry.breaks is None and not entry.finder} == WITHOUT_EXAMPLE
    assert not any(entry.finder for entry in EXAMPLES)


def test_an_explanation_says_what_and_why_in_sentences() -> None:
    for entry in KNOWN.values():
        assert RULE.fullmatch(entry.rule)
        for text in (entry.meaning, entry.reason):
            assert text.endswith(".")
            assert "\n" not in text
        assert not entry.title.endswith(".")


def test_a_rule_is_explained_as_text() -> None:
    text = as_text(explain("l2xc-self"))
    assert text.startswith("l2xc-self: A cross-connect goes to another interface\n\n")
    assert "Why: " in text
    assert "        l2xc: eth0\n" in text


def test_paragraphs_are_wrapped() -> None:
    lines = [line for entry in KNOWN.values() for line in as_text(entry).splitlines()]
    assert max(len(line) for line in lines if not line.startswith("    ")) <= WIDTH


def test_what_needs_a_vpp_says_so() -> None:
    assert "`vppcfg plan` and `apply`" in as_text(explain("phy-missing"))


@pytest.mark.parametrize(
    ("rule", "hint"), [("l2xc-slef", "did you mean l2xc-self?"), ("", "lists the rules"), ("zzzzzz", "lists the rules")]
)
def test_an_unknown_rule_is_refused_with_a_hint(rule: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(rule)
    assert hint in caught.value.hint
