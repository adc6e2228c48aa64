"""Files that a routing daemon loads."""

import os
from pathlib import Path

import pytest

from vppcfg.app.routing import _text_of
from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons.bird_text import IncludeError, with_includes
from vppcfg.routing_daemons.daemon import staged
from vppcfg.routing_daemons.frr import Frr
from vppcfg.routing_daemons.text_file import read_text


def test_a_description_that_is_no_utf_8_is_written_as_it_is(tmp_path: Path) -> None:
    content = b"hostname r1\ninterface eth0\n description caf\xe9\n"
    (file := tmp_path / "new.conf").write_bytes(content)
    routing = RoutingFile(kind=DaemonKind.FRR, path=str(file), startup=str(tmp_path / "frr.conf"))
    text = _text_of(routing)
    assert isinstance(text, str)
    with staged(text, routing.startup) as (path, trouble):
        assert (Path(path).read_bytes(), trouble) == (content, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_daemon_has_root_read_nothing_that_it_may_not_read_itself(tmp_path: Path) -> None:
    (secret := tmp_path / "secret").write_text("root:x\n")
    secret.chmod(0o640)
    (conf := tmp_path / "bird.conf").write_text(f'include "{secret}";\n')
    (link := tmp_path / "frr.conf").symlink_to(secret)
    assert (with_includes(str(conf)), read_text(str(link))[0]) == ("root:x\n\n", "root:x\n")
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path)):
        with pytest.raises(OSError, match="no regular file"):
            read_text(path)
    os.chown(conf, 12345, 12345)
    os.chown(link, 12345, 12345, follow_symlinks=False)
    with pytest.raises(IncludeError, match="who names it may not read it"):
        with_includes(str(conf))
    with pytest.raises(OSError, match="who names it may not read it"):
        read_text(str(link))
    secret.chmod(0o644)
    assert read_text(str(link))[0] == "root:x\n"
    for number in range(6):
        (tmp_path / f"{number}.conf").write_text(f'include "{number + 1}.conf";\n' * 10 * (number < 5))
    with pytest.raises(IncludeError, match="more than 1000 files"):
        with_includes(str(tmp_path / "0.conf"))


def test_a_description_that_other_programs_take_for_two_lines_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = "Building configuration...\n\nCurrent configuration:\n!\ninterface eth0\n description a\u2028b\x85c\nend\n"
    monkeypatch.setattr(
        "vppcfg.routing_daemons.frr.run_bounded", lambda *_, **__: CommandResult(output=shown.encode(), seconds=0.0)
    )
    running = Frr(RoutingFile(kind=DaemonKind.FRR, path="new.conf", startup="frr.conf")).running()
    assert running.text.split("\n")[-2] == " description a\u2028b\x85c"
