"""Figures are short and never hide anything; a link carries what IEEE 802.3 says."""

import pytest

from vppcfg.common.rates import line_rate_pps, parse_figure, parse_speed, percent, pps, short
from vppcfg.errors import UsageError


@pytest.mark.parametrize(
    ("speed", "frame", "tags", "pps"),
    [("1G", 64, 0, 1_488_095), ("1G", 64, 1, 1_420_454), ("10G", 64, 0, 14_880_952), ("2.5G", 64, 0, 3_720_238)],
)
def test_line_rates_are_those_of_the_standard(speed: str, frame: int, tags: int, pps: int) -> None:
    assert int(line_rate_pps(parse_speed(speed), frame, tags)) == pps


@pytest.mark.parametrize("speed", ["", "1", "G", "0G", "-1G", "1 furlong", f"{10**400}G"])
def test_what_is_no_speed_is_refused(speed: str) -> None:
    with pytest.raises(UsageError, match="no link speed"):
        parse_speed(speed)


@pytest.mark.parametrize(
    ("value", "text"), [(1_488_095, "1.488 M"), (76_600, "76.6 k"), (999_700, "1.000 M"), (0, "0 "), (12.34, "12.3 ")]
)
def test_figures_are_short(value: float, text: str) -> None:
    assert short(value) == text
    assert pps(value) == text + "pps"


@pytest.mark.parametrize(
    ("share", "text"), [(0.0402, "4.02 %"), (0.117, "11.7 %"), (2.7e-5, "2.7e-03 %"), (0, "0.00 %"), (0.867, "86.7 %")]
)
def test_small_shares_are_not_hidden(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(("text", "value"), [("1.48M", 1.48e6), ("1480000", 1.48e6), (".5k", 500), ("1.48e6", 1.48e6)])
def test_figures_are_typed_as_people_do(text: str, value: float) -> None:
    assert parse_figure(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "x", "-1", "1e400", "1e308M", f"1e{'9' * 5000}"])
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a number"):
        parse_figure(text)
