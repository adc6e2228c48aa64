"""Files that a routing daemon loads."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from vppcfg.app.routing_plan import daemon_of, wanted_text
from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons.bird import Bird
from vppcfg.routing_daemons.bird_text import IncludeError, with_includes
from vppcfg.routing_daemons.daemon import staged
from vppcfg.routing_daemons.frr import Frr
from vppcfg.routing_daemons.text_file import read_text


def test_a_description_that_is_no_utf_8_is_written_as_it_is(tmp_path: Path) -> None:
    content = b"hostname r1\ninterface eth0\n description caf\xe9\n"
    (file := tmp_path / "new.conf").write_bytes(content)
    routing = RoutingFile(kind=DaemonKind.FRR, path=str(file), startup=str(tmp_path / "frr.conf"))
    text = wanted_text(routing)
    assert isinstance(text, str)
    with staged(text, routing.startup) as (path, trouble):
        assert (Path(path).read_bytes(), trouble) == (content, "")


def test_a_file_is_loaded_by_the_daemon_that_it_is_for() -> None:
    files = (RoutingFile(kind=kind, path="new.conf", startup="old.conf") for kind in (DaemonKind.FRR, DaemonKind.BIRD))
    assert [type(daemon_of(file)) for file in files] == [Frr, Bird]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("kind", ["link", "folder"])
def test_nothing_is_written_where_a_daemon_leads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    (etc := tmp_path / "frr").mkdir()
    (victim := tmp_path / "victim").mkdir()
    (program := tmp_path / "reload").write_text('#!/bin/sh\nfor file; do :; done\ncat "$file"\n')
    program.chmod(0o755)
    made: Callable[..., str] = tempfile.mkdtemp

    def exchanged(*words: Any, **options: Any) -> str:
        Path(name := made(*words, **options)).rmdir()
        if kind == "link":
            Path(name).symlink_to(victim)
        else:
            Path(name).mkdir()
            os.chown(name, 12345, 12345)
        return name

    frr = Frr(
        RoutingFile(kind=DaemonKind.FRR, path="new.conf", startup=str(etc / "frr.conf")), reload_program=str(program)
    )
    monkeypatch.setattr(Frr, "why_unfit", lambda *_: "")
    assert frr.load("hostname r1\n", None) == ""
    assert os.listdir(etc) == []
    monkeypatch.setattr(tempfile, "mkdtemp", exchanged)
    assert frr.load("hostname r1\n", None).startswith("cannot write beside")
    assert os.listdir(victim) == []


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user reaches, which those of tests are not."""
    with TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_daemon_has_root_reach_nothing_that_it_may_not_reach_itself(shared: Path) -> None:
    """A file that all may read is still not for all in a folder that is closed to them, behind links too."""
    (closed := shared / "closed").mkdir(mode=0o700)
    (secret := closed / "secret.conf").write_text("root:x\n")
    (conf := shared / "bird.conf").write_text("")
    (link := shared / "linked").symlink_to(secret)
    (folder := shared / "folder").symlink_to(closed)
    (through := shared / "through").symlink_to("folder/../closed/secret.conf")
    for path in (conf, link, folder, through):
        os.chown(path, 12345, 12345, follow_symlinks=False)
    for name in ("closed/secret.conf", "folder/secret.conf", "closed/*.conf", "folder/*.conf", "linked", "through"):
        conf.write_text(f'include "{name}";\n')
        with pytest.raises(IncludeError, match="who names it may not reach it"):
            with_includes(str(conf))
    for path in (link, through, folder / "secret.conf"):
        with pytest.raises(OSError, match="who names it may not reach it"):
            read_text(str(path))
    assert read_text(str(secret))[0] == "root:x\n"
    for mode, owner in ((0o750, 0), (0o750, 12345), (0o755, 0)):
        closed.chmod(mode)
        os.chown(closed, owner, 12345)
        assert {read_text(str(path))[0] for path in (link, through, folder / "secret.conf")} == {"root:x\n"}
        assert "root:x" in with_includes(str(conf))
    (shared / "endless").symlink_to("endless")
    with pytest.raises(OSError, match="symbolic links"):
        read_text(str(shared / "endless"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_daemon_has_root_read_nothing_that_it_may_not_read_itself(shared: Path) -> None:
    tmp_path = shared
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


def test_a_file_of_blank_lines_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "frr.conf").write_text("\n" * 1_000_001)
    with pytest.raises(OSError, match="more than 1,000,000 lines"):
        read_text(str(tmp_path / "frr.conf"))
