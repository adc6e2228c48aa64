"""When a watched file is loaded again, and what stands when it is not valid."""

import io
import os
from pathlib import Path

import pytest

from vppcfg.app.watching.file import WatchedFile
from vppcfg.cli.console import Terminal
from vppcfg.cli.output import ColourChoice
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ConfigError

BEFORE = "interfaces: { eth0: { mtu: 1500 } }\n"
AFTER = "interfaces: { eth0: { mtu: 9000 } }\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "router.yaml"
    path.write_text(BEFORE)
    return path


def watched(path: Path | str) -> WatchedFile:
    return WatchedFile(SourceFiles(names=(str(path),)), Terminal(ColourChoice.NEVER))


def mtu(file: WatchedFile) -> int | None:
    return file.configuration.interfaces["eth0"].mtu


def test_any_of_several_files_is_news(path: Path) -> None:
    folder = path.parent / "site.d"
    folder.mkdir()
    (folder / "a.yaml").write_text("loopbacks: { loop0: {} }\n")
    file = WatchedFile(SourceFiles(names=(str(path), str(folder))), Terminal(ColourChoice.NEVER))
    assert (file.is_reload_due(), mtu(file)) == (False, 1500)
    (folder / "b.yaml").write_text(AFTER)
    assert [file.is_reload_due() for _ in range(2)] == [False, True]
    file.reload()
    assert mtu(file) == 9000


def test_a_file_that_stays_is_no_news(path: Path) -> None:
    file = watched(path)
    assert [file.is_reload_due() for _ in range(3)] == [False] * 3


def test_a_file_is_news_once_it_has_stopped_changing(path: Path) -> None:
    file = watched(path)
    for number in range(3):
        path.write_text(AFTER + "#" * number)
        assert not file.is_reload_due()
    assert file.is_reload_due()
    file.reload()
    assert (file.is_reload_due(), mtu(file)) == (False, 9000)


def test_a_file_that_is_replaced_is_news(path: Path) -> None:
    file = watched(path)
    status = path.stat()
    other = path.with_name("other")
    other.write_text(AFTER)
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.rename(path)
    assert [file.is_reload_due() for _ in range(2)] == [False, True]


def test_who_asks_gets_it_loaded_at_once(path: Path) -> None:
    file = watched(path)
    path.write_text(AFTER)
    file.request_reload()
    assert file.is_reload_due()
    file.reload()
    assert (file.is_reload_due(), mtu(file)) == (False, 9000)


@pytest.mark.parametrize("broken", ["interfaces: [", "interfaces: { eth0: { mtu: 1 } }", None])
def test_while_it_is_not_valid_the_former_content_stands(path: Path, broken: str | None) -> None:
    file = watched(path)
    if broken is None:
        path.unlink()
    else:
        path.write_text(broken)
    file.is_reload_due()
    assert file.is_reload_due()
    with pytest.raises(ConfigError):
        file.reload()
    assert (file.is_reload_due(), mtu(file)) == (False, 1500)
    path.write_text(AFTER)
    file.is_reload_due()
    assert file.is_reload_due()
    file.reload()
    assert mtu(file) == 9000


@pytest.mark.timeout(10)
def test_a_pipe_in_its_place_is_not_waited_for(path: Path) -> None:
    file = watched(path)
    path.unlink()
    os.mkfifo(path)
    file.is_reload_due()
    assert file.is_reload_due()
    with pytest.raises(ConfigError, match="is a pipe now, which is not read again"):
        file.reload()
    assert (file.is_reload_due(), mtu(file)) == (False, 1500)


@pytest.mark.parametrize("error", [RecursionError("too deep"), AttributeError("x"), MemoryError(), KeyError("y")])
def test_a_bug_that_a_new_content_meets_is_a_problem_of_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    file = watched(path)
    path.write_text(AFTER)

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr("vppcfg.app.watching.file.load_configuration", fail)
        with pytest.raises(ConfigError, match=f"bug in vppcfg, {type(error).__name__}"):
            file.reload()
    assert (file.is_reload_due(), mtu(file)) == (False, 1500)
    file.reload()
    assert mtu(file) == 9000


def test_a_file_that_is_not_valid_at_first_is_an_error(path: Path) -> None:
    path.write_text("interfaces: [")
    with pytest.raises(ConfigError):
        watched(path)


def test_standard_input_is_never_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BEFORE.encode())))
    file = watched("-")
    file.request_reload()
    assert not file.is_reload_due()
    assert mtu(file) == 1500
