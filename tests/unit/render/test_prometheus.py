"""The metrics keep to Prometheus's text format, and say no more than is known."""

import re

import pytest

from vppcfg.config.section_list import SECTIONS
from vppcfg.operations.change import Action
from vppcfg.render.file_difference import EntryDifference
from vppcfg.render.prometheus import WatchMetrics, metrics_text

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(\{{{LABEL}(?:,{LABEL})*\}})? (-?[0-9]+(?:\.[0-9]+)?)")


def samples(text: str) -> dict[str, float]:
    """Return the samples of a text in the exposition format, which is checked strictly."""
    assert text.endswith("\n")
    found: dict[str, float] = {}
    family = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split(" ", 3)[2]
            assert family not in found
        elif line.startswith("# TYPE "):
            assert line.split(" ")[2:] in ([family, "gauge"], [family, "counter"])
            assert family.endswith("_total") == line.endswith("counter")
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == family
            series = match[1] + (match[2] or "")
            assert series not in found
            found[series] = float(match[3])
    return found


def test_before_anything_is_known_nothing_is_claimed() -> None:
    found = samples(metrics_text(WatchMetrics()))
    assert (found["vppcfg_in_sync"], found["vppcfg_vpp_up"], found["vppcfg_config_valid"]) == (0, 0, 1)
    assert not [series for series in found if "differences" in series or "timestamp" in series]


def entries(*paths: tuple[str, ...]) -> tuple[EntryDifference, ...]:
    return tuple(EntryDifference(action=Action.CREATE, path=path, name=path[-1]) for path in paths)


def test_differences_are_counted_by_section_and_action() -> None:
    differences = entries(("loopbacks", "loop0"), ("loopbacks", "loop1"), ("Linux namespace dataplane",))
    found = samples(metrics_text(WatchMetrics(is_connected=True, differences=differences)))
    assert found["vppcfg_in_sync"] == 0
    assert found['vppcfg_differences{section="loopbacks",action="create"}'] == 2
    assert found['vppcfg_differences{section="loopbacks",action="delete"}'] == 0
    assert found['vppcfg_differences{section="none",action="create"}'] == 1


def test_every_section_that_can_differ_is_counted_and_no_other() -> None:
    found = samples(metrics_text(WatchMetrics(is_connected=True, differences=())))
    sections = {match[1] for series in found if (match := re.search(r'section="([\w-]+)"', series))}
    assert sections == {section.key for section in SECTIONS} - {
        *("prefixlists", "unmanaged", "protected", "dataplane")
    } | {"none"}


def test_a_problem_alone_is_no_sync() -> None:
    status = WatchMetrics(is_connected=True, differences=(), problems=("phy-unlisted", "phy-unlisted"))
    found = samples(metrics_text(status))
    assert found["vppcfg_in_sync"] == 0
    assert found['vppcfg_problems{rule="phy-unlisted"}'] == 2


def test_a_vpp_that_is_gone_is_neither_up_nor_in_sync() -> None:
    found = samples(metrics_text(WatchMetrics(is_connected=False, differences=None, read_at_s=5.0)))
    assert (found["vppcfg_in_sync"], found["vppcfg_vpp_up"]) == (0, 0)
    assert found["vppcfg_last_read_timestamp_seconds"] == 5


@pytest.mark.parametrize("version", ['a"b', "a\\b", "a\nb", "a{b}", "\N{SNOWMAN}"])
def test_what_vpp_calls_itself_cannot_break_the_format(version: str) -> None:
    found = samples(metrics_text(WatchMetrics(vpp_version=version)))
    assert [series for series in found if series.startswith("vppcfg_info{")]
