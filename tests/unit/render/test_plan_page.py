"""A plan as a page: everything is there, nothing in it is loaded or run, and no name becomes markup."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from vppcfg.common.printable import is_harmless
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.kinds.loopback import DeleteLoopback
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.operations.stages import Stage, Step
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.plan_page import PageFacts, plan_page

FACTS = PageFacts(
    file="r.yaml", digest="ab" * 32, made_at="2026-11-26T12:00:00+00:00", made_by="somebody", vppcfg_version="1.1.0",
    source="the VPP at /run/vpp/api.sock",
)  # fmt: skip
EVIL = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</pre><h1>", "</style><script>", "&lt;b&gt;",
    "javascript:alert(1)", "a\u202eb", "a\x00b\x1b[31m", "<!--", "]]>", "' onmouseover='x",
)  # fmt: skip
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "section", "h1", "h2", "dl", "dt", "dd", "p", "ul", "ol", "li",
    "pre", "span", "strong", "br", "code",
}  # fmt: skip


class Reader(HTMLParser):
    """Keeps the tags, attributes and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def harmless(page: str) -> Reader:
    """Return a page that was read, when nothing in it is loaded or run."""
    reader = read(page)
    for tag, attributes in reader.tags:
        assert tag in ALLOWED
        assert {name for name, _ in attributes} <= {
            *("class", "lang", "charset", "name", "content", "http-equiv", "start"),
        }
    assert is_harmless(page.replace("\n", ""))
    return reader


def plan_of(text: str, observed: State | None = None) -> Plan:
    configuration = parse_text(text.encode(), "r.yaml").configuration
    assert configuration is not None
    resolution = resolve(configuration, observed or assumed_state(configuration))
    return make_plan(resolution.observed, resolution.desired)


ROUTER = """
interfaces:
  eth0:
    description: uplink
    mtu: 9000
    lcp: e0
    addresses: [192.0.2.1/24]
    sub-interfaces: { 100: { addresses: [198.51.100.1/24] } }
loopbacks: { loop0: { addresses: [203.0.113.1/32] } }
"""


def test_what_traffic_feels_and_what_stands_in_the_way_is_said_first() -> None:
    before = plan_of(ROUTER).desired
    plan = plan_of("interfaces:\n  eth0: { description: uplink }\n", before)
    problem = Problem(rule="some-rule", path=("interfaces",), text="mind the gap", severity=Severity.WARNING)
    text = harmless(plan_page(plan, [problem], ["eth0 is protected"], FACTS)).text
    assert text.index("eth0 is protected") < text.index("mind the gap") < text.index("What changes")
    assert "Impact on traffic" in text
    assert "remove" in text


def test_nothing_to_do_is_said() -> None:
    plan = plan_of(ROUTER)
    text = harmless(plan_page(plan_of(ROUTER, plan.desired), (), (), FACTS)).text
    assert "Nothing to do" in text
    assert "Commands" not in text


@pytest.mark.parametrize("evil", EVIL)
def test_no_name_becomes_markup(evil: str) -> None:
    steps = (Step(stage=Stage.DELETE_INTERFACE, operation=DeleteLoopback(interface=evil)),)
    plan = Plan(observed=State(), desired=State(), reached=State(), changes=(), steps=steps)
    problem = Problem(rule=evil, path=(evil,), text=evil, severity=Severity.WARNING)
    facts = PageFacts(file=evil, digest=evil, made_at=evil, made_by=evil, vppcfg_version=evil, source=evil)
    harmless(plan_page(plan, [problem], [evil], facts))


def test_the_page_forbids_scripts_and_everything_from_elsewhere() -> None:
    page = plan_page(plan_of(ROUTER), (), (), FACTS)
    assert "default-src 'none'" in page
    assert not re.search(r"\b(?:src|href)=|url\(", page)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium; apt-get install chromium")
def test_a_browser_shows_it_as_wide_as_a_phone(tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    names = "".join(f"  HundredGigabitEthernet{number}/0/0: {{ mtu: 9000 }}\n" for number in range(3))
    path.write_text(plan_page(plan_of(f"interfaces:\n{names}"), (), (), FACTS))
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=360,800",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "set interface state HundredGigabitEthernet0/0/0 up" in done.stdout
    assert "<script" not in done.stdout
