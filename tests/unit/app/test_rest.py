"""Lines of a rest that VPP refuses."""

from types import SimpleNamespace
from typing import Any

from vppcfg.app.rest import run_rest


def test_a_refusal_without_a_word_is_told_by_its_number() -> None:
    vpp = SimpleNamespace(run_at_prompt=lambda line: (-3, " "), close=lambda: None)
    target: Any = SimpleNamespace(connect_apart=lambda: (vpp, ""))
    (line,) = run_rest([(1, "ip route add 192.0.2.0/24 via 198.51.100.1")], target)
    assert line.answer == "VPP answers -3"
