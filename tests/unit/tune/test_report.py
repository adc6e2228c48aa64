"""What programs and browsers get: a versioned document, and a page that needs nothing else."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.tune.material import GI1, load, port, recorded, situation
from vppcfg.tune.diagnosis import NAMES, Diagnosis, diagnose
from vppcfg.tune.document import document_of
from vppcfg.tune.report import report_of

SCHEMA = json.loads((Path(__file__).resolve().parents[3] / "docs" / "tune.schema.json").read_text())
TABLE = (Path(__file__).resolve().parents[3] / "docs" / "tuner.md").read_text()


@pytest.fixture
def diagnosis() -> Diagnosis:
    return diagnose(situation(recorded("fitlet2_both_ways"), offered={"": 1.48e6}, frame=64.0))


def test_the_document_keeps_to_its_schema(diagnosis: Diagnosis) -> None:
    document = json.loads(json.dumps(document_of(diagnosis)))
    jsonschema.validate(document, SCHEMA)
    first = document["findings"][0]
    assert (document["format_version"], first["rule"], first["severity"]) == (1, "tx-descriptors", "loss")
    assert first["proposal"]["patch"] == {
        "dataplane": {"dpdk": {"default": {"tx-descriptors": 1024}, "multi-seg": False}}
    }


def test_the_schema_and_the_documentation_know_every_rule() -> None:
    assert set(SCHEMA["$defs"]["finding"]["properties"]["rule"]["enum"]) == set(NAMES)
    assert [name for name in NAMES if f"`{name}`" not in TABLE] == []


class _Page(HTMLParser):
    """Collects what a page would fetch, and checks that its elements close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "br", "link", "img"}:
            self.open.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_fetches_nothing(diagnosis: Diagnosis) -> None:
    page = report_of(diagnosis, "Load of VPP")
    parser = _Page()
    parser.feed(page)
    assert (parser.open, parser.fetched) == ([], [])
    assert "@import" not in page and "url(" not in page and "<script" not in page
    for title in ("Clocks per packet by node", "Vectors per call by node", "Load by thread", "Lost packets per second"):
        assert title in page
    for svg in re.findall(r"<svg.*?</svg>", page):
        ElementTree.fromstring(svg)


def test_names_in_a_page_cannot_be_markup() -> None:
    evil = replace(port(rx_pps=0.5e6), name="<script>alert(1)</script>")
    page = report_of(diagnose(situation(load(evil), offered={"": 1e6})), "a & b")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page and "a &amp; b" in page


def test_losses_over_time_are_a_line_per_port() -> None:
    calm = load(port())
    page = report_of(diagnose(situation(replace(calm, steps=(calm, calm)))), "x")
    assert "over the interval" in page and 'stroke-linejoin="round"' in page and GI1 in page
