"""How frames get into a VPP: which commands it is given, and what is left when something goes wrong."""

from typing import Any

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.vpp import probing
from vppcfg.vpp.probing import Injection, inject

FRAME = bytes(60)


class Prompt:
    def __init__(self, refused: str = "", unseen: str = "") -> None:
        self.lines: list[str] = []
        self._refused = refused
        self._unseen = unseen

    def show(self, connection: Any, line: str) -> tuple[int, str]:
        """Take a command."""
        self.lines.append(line)
        if self._refused and self._refused in line:
            return -1, "unknown input"
        return 0, self._traces() if line.startswith("show trace") else ""

    def _traces(self) -> str:
        sent = [line.split()[-1] for line in self.lines if line.startswith("packet-generator enable-stream")]
        return "------------------- Start of thread 0 vpp_main -------------------\n" + "".join(
            f"Packet {number}\n\n00:00:01:000000: pg-input\n  stream {name}, 60 bytes, sw_if_index 1\n\n\n"
            for number, name in enumerate(sent, start=1)
            if name != self._unseen
        )


def asked(monkeypatch: pytest.MonkeyPatch, prompt: Prompt, count: int = 2) -> dict[int, str]:
    monkeypatch.setattr(probing, "show", prompt.show)
    monkeypatch.setattr(probing, "_PATIENCE_S", 0.0)
    return inject(None, [Injection(port="eth0", frame=FRAME)] * count)  # type: ignore[arg-type]


def test_each_frame_goes_in_alone_and_nothing_of_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = Prompt()
    found = asked(monkeypatch, prompt)
    assert sorted(found) == [0, 1]
    assert "stream vppcfg-probe-1," in found[1]
    assert prompt.lines[:2] == ["clear trace", "trace add pg-input 8"]
    own = "source pg5311 interface eth0 "
    assert prompt.lines[2].startswith(f"packet-generator new {{ name vppcfg-probe-0 limit 1 size 60-60 {own}")
    assert prompt.lines[2].endswith(f"node ethernet-input data {{ hex 0x{FRAME.hex()} }} }}")
    assert prompt.lines[3] == "packet-generator enable-stream vppcfg-probe-0"
    left = set(prompt.lines[-4:])
    assert left == {
        "packet-generator delete vppcfg-probe-0",
        "packet-generator delete vppcfg-probe-1",
        "clear trace",
        "delete packet-generator interface pg5311",
    }


def test_a_frame_that_vpp_does_not_take_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = Prompt(refused="new { name vppcfg-probe-0 ")
    assert sorted(asked(monkeypatch, prompt)) == [1]
    assert "packet-generator enable-stream vppcfg-probe-0" not in prompt.lines


def test_a_frame_that_is_not_traced_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(asked(monkeypatch, Prompt(unseen="vppcfg-probe-1"))) == [0]


def test_the_trace_is_read_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = Prompt()
    assert len(asked(monkeypatch, prompt, count=120)) == 120
    assert sum(line.startswith("show trace") for line in prompt.lines) == 3


def test_a_vpp_without_a_tracer_is_told_of_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulated VPP forwards nothing, and has neither."""
    with pytest.raises(DataplaneError, match="VPP refuses `clear trace`: unknown input"):
        asked(monkeypatch, Prompt(refused="trace"))
