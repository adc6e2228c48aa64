"""A configuration of BIRD: what it includes, its statements, and what changes between two of them."""

from pathlib import Path

import pytest

from vppcfg.routing_daemons.bird import impacts_between
from vppcfg.routing_daemons.bird_text import IncludeError, statements, with_includes
from vppcfg.routing_daemons.daemon import SessionImpact

BASE = """\
router id 10.0.0.1; # a comment; with a semicolon
/* another; { */
define OWN = 65001;
filter ok { if net ~ [ 10.0.0.0/8+ ] then accept; reject; }
template bgp base { local as OWN; hold time 30; }
protocol device { }
protocol bgp up1 from base { neighbor 192.0.2.2 as 65002; ipv4 { import filter ok; }; }
protocol bgp up2 { local as OWN; neighbor 192.0.2.6 as 65003; };
protocol ospf v2 core { area 0 { interface "e0" { }; }; }
"""


def effects(before: str, after: str) -> list[tuple[SessionImpact, str]]:
    return [(impact.level, impact.text) for impact in impacts_between(before, after)]


def test_statements_are_told_apart_whatever_stands_between_them() -> None:
    found = [(each.kind, each.name, each.base) for each in statements(BASE)]
    assert found == [
        ("router", "", ""),
        ("define", "OWN", ""),
        ("filter", "ok", ""),
        ("template", "base", ""),
        ("protocol", "", ""),
        ("protocol", "up1", "base"),
        ("protocol", "up2", ""),
        ("protocol", "core", ""),
    ]


def test_comments_blanks_and_order_change_nothing() -> None:
    lines = BASE.replace("hold time 30;", "hold   time\n 30; /* longer */").splitlines()
    assert effects(BASE, "\n".join(lines)) == []
    assert effects(BASE, BASE.replace("protocol device { }\n", "") + "protocol device { }\n") == []


@pytest.mark.parametrize(
    ("old", "new", "level", "said"),
    [
        ("as 65003", "as 65004", SessionImpact.SESSIONS, "protocol up2 is reconfigured"),
        ("OWN = 65001", "OWN = 65009", SessionImpact.SESSIONS, "protocol up1 is reconfigured"),
        ("hold time 30", "hold time 9", SessionImpact.SESSIONS, "protocol up1 is reconfigured"),
        ("10.0.0.1;", "10.0.0.2;", SessionImpact.SESSIONS, "the router id changes"),
        ("10.0.0.0/8+", "10.0.0.0/9+", SessionImpact.POLICY, "policy changes"),
        ("protocol device { }", "", SessionImpact.SESSIONS, "protocol device1 ends"),
        ("protocol device { }", "protocol device { }\nprotocol direct d { }", SessionImpact.POLICY, "d begins"),
        ("define OWN", "ipv4 table x;\ndefine OWN", SessionImpact.UNKNOWN, "`ipv4 table x ;`"),
        ("router id", "log syslog all;\nrouter id", SessionImpact.NONE, ""),
    ],
)
def test_what_changes_is_said_by_protocol(old: str, new: str, level: SessionImpact, said: str) -> None:
    found = effects(BASE, BASE.replace(old, new, 1))
    assert max((each[0] for each in found), default=SessionImpact.NONE) is level
    assert said in "; ".join(text for _, text in found)


def test_includes_are_read_in_their_place_by_name(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("b", "a"):
        (tmp_path / "parts" / f"{name}.conf").write_text(f"protocol static {name} {{ ipv4; }}\n")
    main = tmp_path / "bird.conf"
    main.write_text('router id 10.0.0.1;\n  include "parts/*.conf";\nprotocol device { }\n')
    assert [each.name for each in statements(with_includes(str(main)))] == ["", "a", "b", ""]


def test_a_comment_is_no_include(tmp_path: Path) -> None:
    main = tmp_path / "bird.conf"
    main.write_text('# include "nowhere.conf";\nprotocol device { }\n')
    assert with_includes(str(main)) == main.read_text()


def test_an_include_that_cannot_be_followed_is_named(tmp_path: Path) -> None:
    main = tmp_path / "bird.conf"
    main.write_text('include "gone.conf";\n')
    with pytest.raises(IncludeError, match=r"includes gone\.conf, which cannot be read: No such file"):
        with_includes(str(main))
    main.write_text('include "bird.conf";\n')
    with pytest.raises(IncludeError, match="the end of 8 includes in each other"):
        with_includes(str(main))


def test_another_description_of_a_protocol_restarts_nothing() -> None:
    text = 'template bgp t {{ description "{0}"; }} '
    text += 'protocol bgp p from t {{ description "{0}"; neighbor 192.0.2.2 as 2; }}'
    assert impacts_between(text.format("one"), text.format("two")) == ()
    assert impacts_between(text.format("one"), text.format("one").replace("as 2", "as 3")) != ()


@pytest.mark.parametrize("use", ["(BASE+2)", "( BASE + 2 )", "SECOND", "'my-as'"])
def test_a_constant_counts_wherever_it_stands(use: str) -> None:
    text = (
        "define BASE = 65000; define SECOND = BASE*2; define 'my-as' = (BASE+1);\n"
        f"protocol bgp up {{ local as 65001; neighbor 192.0.2.2 as {use}; }}\n"
    )
    for padding in ("", "ipv4 { import all; export all; }; hold time 30; " * 9):
        padded = text.replace("local as", f"{padding}local as")
        assert SessionImpact.SESSIONS in {level for level, _ in effects(padded, padded.replace("65000", "64000"))}


def test_an_include_in_a_comment_of_several_lines_is_none(tmp_path: Path) -> None:
    text = '/* not now:\n  include "missing";\n*/\nlog "/var/log/a/*b" all;\n'
    (tmp_path / "bird.conf").write_text(f'{text}include "more";\n')
    (tmp_path / "more").write_text("router id 10.0.0.1;\n")
    assert with_includes(str(tmp_path / "bird.conf")) == f"{text}router id 10.0.0.1;\n\n"
