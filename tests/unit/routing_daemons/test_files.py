"""Files that a routing daemon loads."""

from pathlib import Path

import pytest

from vppcfg.app.routing import _text_of
from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons.daemon import staged
from vppcfg.routing_daemons.frr import Frr


def test_a_description_that_is_no_utf_8_is_written_as_it_is(tmp_path: Path) -> None:
    content = b"hostname r1\ninterface eth0\n description caf\xe9\n"
    (file := tmp_path / "new.conf").write_bytes(content)
    routing = RoutingFile(kind=DaemonKind.FRR, path=str(file), startup=str(tmp_path / "frr.conf"))
    text = _text_of(routing)
    assert isinstance(text, str)
    with staged(text, routing.startup) as (path, trouble):
        assert (Path(path).read_bytes(), trouble) == (content, "")


def test_a_description_that_other_programs_take_for_two_lines_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = "Building configuration...\n\nCurrent configuration:\n!\ninterface eth0\n description a\u2028b\x85c\nend\n"
    monkeypatch.setattr(
        "vppcfg.routing_daemons.frr.run_bounded", lambda *_, **__: CommandResult(output=shown.encode(), seconds=0.0)
    )
    running = Frr(RoutingFile(kind=DaemonKind.FRR, path="new.conf", startup="frr.conf")).running()
    assert running.text.split("\n")[-2] == " description a\u2028b\x85c"
