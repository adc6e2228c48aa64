"""A command says which package it lacks, and how to install it."""

import pytest

from vppcfg.cli.main import main
from vppcfg.errors import EngineError, ExitCode
from vppcfg.loadtest import packages
from vppcfg.loadtest.trex.channel import TrexChannel


@pytest.fixture
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda name: None)


@pytest.mark.usefixtures("_nothing_installed")
def test_t_rex_needs_pyzmq() -> None:
    with pytest.raises(EngineError, match="pyzmq, which is not installed") as caught:
        TrexChannel("127.0.0.1")
    assert "apt install python3-zmq" in caught.value.hint


@pytest.mark.usefixtures("_nothing_installed")
def test_a_search_names_the_package_before_it_sends_anything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", "search", "--engine", "simulated"]) == ExitCode.DATAPLANE
    captured = capsys.readouterr()
    assert "MLRsearch, which is not installed" in captured.err
    assert "pip install 'vppcfg[loadtest]'" in captured.err
    assert captured.out == ""


def test_what_is_installed_is_not_missed() -> None:
    for module in ("zmq", "MLRsearch"):
        packages.require(module)
