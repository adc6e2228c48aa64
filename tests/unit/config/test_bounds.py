"""Files that ask for more than there may be: each is refused in the place where it does, before it costs anything."""

import pytest

from vppcfg.common.bounds import ACL_RULES_MANY, ACL_RULES_MOST, ALL_ACL_RULES_MOST, CONFIG_DEPTH, PROBLEMS
from vppcfg.config.load import Loaded, parse_text
from vppcfg.entries.yaml import reader
from vppcfg.model.problem import Problem, ProblemList, Severity


def load(text: str) -> Loaded:
    return parse_text(text, "test")


def found(text: str) -> list[tuple[str, int, int]]:
    return [(problem.rule, problem.line, problem.column) for problem in load(text).to_act_on]


@pytest.mark.parametrize(
    "tag", ["!!binary", "!!set", "!!omap", "!!pairs", "!!python/tuple", "!!python/object/apply:os.system", "!mine"]
)
def test_a_tag_is_refused_by_its_name(tag: str) -> None:
    for value in ("aGk=", "[ a ]", "{ a: b }"):
        for place in ("unmanaged: ", "acls: { a: { terms: ", "interfaces: { eth0: { lcp: "):
            problems = load(f"{place}{tag} {value}{' }' * place.count('{')}").problems
            (problem,) = [problem for problem in problems if problem.rule == "yaml-tag"]
            assert f"`{tag}`" in problem.text
            assert problem.line == 1


def test_binary_workers_are_no_workers() -> None:
    text = "interfaces: { eth0: { } }\ndataplane: { cpu: { workers: !!binary MTI= } }"
    assert ("yaml-tag", 2, 30) in found(text)
    assert load(text).configuration is None


def test_aliases_nest_no_deeper_than_what_is_written() -> None:
    half = CONFIG_DEPTH // 2
    inner = f"a: &a {'[' * half}{']' * half}\n"
    for levels, expected in ((half - 1, []), (half, [("yaml-depth", 2, 4 + half)])):
        text = f"{inner}b: {'[' * levels}*a{']' * levels}"
        assert [place for place in found(text) if place[0] != "schema-unknown-key"] == expected


def test_a_chain_of_aliases_has_an_end() -> None:
    lines = [f"k{n}: &a{n} {'[' * 55}{f'*a{n - 1}' if n else 'x'}{']' * 55}" for n in range(20)]
    assert found("\n".join([*lines, "unmanaged: *a19"])) == [("yaml-depth", 2, 64)]


@pytest.mark.parametrize("text", ["? " * 500 + "a", "{" + "? {" * 200 + "}" * 200 + "}", "{" + "? [" * 200])
def test_keys_that_are_maps_nest_no_deeper_either(text: str) -> None:
    assert [rule for rule, _, _ in found(text)] == ["yaml-depth"]


def test_all_keys_and_items_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "CONFIG_VALUES", 10)
    assert found("unmanaged: [ a, b, c, d, e, f, g, h, i ]") == []
    assert found("unmanaged:\n - [ a, b, c, d, e, f, g, h, i ]") == [("yaml-size", 2, 30)]
    assert found("unmanaged: [ a, b, c, d, e, f, g, h, i, j ]") == [("yaml-size", 1, 41)]
    assert found("interfaces:\n" + "\n".join(f"  e{n}: {{}}" for n in range(10))) == [("yaml-size", 11, 3)]
    assert found("unmanaged: &a [ a, b, c, d ]\nprotected: *a") == [("yaml-alias", 2, 12)]


@pytest.mark.parametrize("text", ["1" + ":30" * 20_000, "1" + ":30" * 20_000 + ".5", "0" + "7" * 60_000])
def test_no_number_is_so_long(text: str) -> None:
    problems = load(f"interfaces: {{ eth0: {{ mtu: {text} }} }}").problems
    assert [problem.rule for problem in problems] == ["yaml-value"]
    assert len(problems[0].text) < 200


def acl(*sizes: int, name: str = "a") -> str:
    """Return an access list with a term per size, which is that many rules to the power of two."""
    terms = ", ".join(f"{{ action: permit, source: p{size}, destination: p{size} }}" for size in sizes)
    return f"{name}: {{ terms: [ {terms} ] }}"


def with_lists(*acls: str) -> str:
    lists = [
        f"p{n}: {{ members: [ {', '.join(f'10.{i >> 8}.{i & 255}.0/24' for i in range(n))} ] }}"
        for n in (9, 99, 100, 316, 317, 3000)
    ]
    return f"prefixlists: {{ {', '.join(lists)} }}\nacls: {{ {', '.join(acls)} }}"


@pytest.mark.parametrize(
    ("acls", "expected"),
    [
        ([acl(99)], []),
        ([acl(99, 9)], []),
        ([acl(100)], ["acl-rules-many"]),
        ([acl(99, 99)], ["acl-rules-many"]),
        ([acl(316)], ["acl-rules-many"]),
        ([acl(317)], ["acl-rules-most"]),
        ([acl(3000)], ["acl-rules-most"]),
        ([acl(*[99] * 11)], ["acl-rules-most"]),
        ([acl(316, name=f"a{n}") for n in range(4)], ["acl-rules-many"] * 3 + ["acl-rules-most"]),
    ],
    ids=["below", "two", "many", "two are many", "still many", "most", "nine million", "in terms", "in all lists"],
)
def test_the_rules_of_access_lists_are_counted_before_they_are_made(acls: list[str], expected: list[str]) -> None:
    assert (ACL_RULES_MANY, ACL_RULES_MOST, ALL_ACL_RULES_MOST) == (10_000, 100_000, 300_000)
    assert sorted(rule for rule, _, _ in found(with_lists(*acls))) == expected


@pytest.mark.parametrize("key", ["source-port", "icmp-type"])
def test_a_range_of_hyphens_is_no_range(key: str) -> None:
    protocol = "tcp" if key == "source-port" else "icmp"
    term = f"{{ action: deny, protocol: {protocol}, {key}: '{'-' * 2_000_000}' }}"
    assert len(found(f"acls: {{ a: {{ terms: [ {term} ] }} }}")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "interfaces:\n" + "  eth0: { }\n" * 1500,
        "".join(f"k{number}: 1\n" for number in range(1500)),
        "interfaces: { eth0: {" + ", ".join(f"k{number}: 1" for number in range(1500)) + "} }",
        "interfaces:\n" + "".join(f"  eth{number}: {{ mtu: x }}\n" for number in range(1500)),
        "interfaces:\n" + "".join(f'  "e {number}": {{ }}\n' for number in range(1500)),
        "interfaces: { eth0: { addresses: [" + ", ".join(["192.0.2.1/24"] * 1500) + "] } }",
    ],
    ids=["reader", "sections", "keys", "values", "names", "rules"],
)
def test_so_many_errors_are_shown_and_no_more(text: str) -> None:
    loaded = load(text)
    assert loaded.configuration is None
    *shown, last = loaded.problems
    assert len(shown) == PROBLEMS
    assert (last.rule, last.line) == ("too-many-problems", shown[-1].line)
    assert load(text).problems == loaded.problems


def test_no_number_of_warnings_hides_an_error() -> None:
    ends = "local: 192.0.2.1, remote: 192.0.2.2"
    tunnels = "".join(f"  vxlan_tunnel{number}: {{ {ends}, vni: {number + 1} }}\n" for number in range(1500))
    loaded = load(f"vxlan_tunnels:\n{tunnels}interfaces: {{ eth0: {{ l2xc: eth1 }} }}\n")
    assert loaded.configuration is None
    assert [problem.rule for problem in loaded.problems if problem.severity is Severity.ERROR] == [
        "l2xc-target-missing"
    ]
    assert len(loaded.problems) == PROBLEMS + 1


def test_a_list_of_problems_looks_at_no_more_than_it_keeps() -> None:
    endless = (Problem(rule="a", path=(), text="b") for _ in iter(int, 1))
    problems = ProblemList(endless)
    problems += endless
    assert (len(problems), problems.is_cut) == (PROBLEMS, True)
