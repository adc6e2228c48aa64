"""WireGuard from the command line: where keys come from, where they go, and where they never are."""

import builtins
import json
import logging
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, consenting
from tests.unit.cli.test_damaged_journal import Router
from tests.wireguard_keys import PEERS, PRESHARED, PRIVATE, PUBLIC, key_file
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.secret_key import key_text
from vppcfg.simulator.kinds.wireguard import WireguardMain

OLD, NEW, SHARED = 0, 1, 2


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir()
    for number in range(4):
        key_file(folder, number)
    return folder


@pytest.fixture
def router(serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str]) -> Router:
    return Router(serve, folders_of_this_test / "state", capsys)


def config(keys: Path, number: int = OLD, *, port: int = 51820, digest: str = PRESHARED[SHARED]) -> str:
    """Write a configuration with one of the keys, and return its name."""
    path = keys.parent / f"with-{number}.yaml"
    path.write_text(
        f"""
interfaces:
  {GI1}: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ] }}
  {GI3}: {{ mtu: 9000, state: down }}
  wg0: {{ addresses: [ 10.7.0.1/24 ] }}
wireguards:
  wg0:
    local: 192.0.2.1
    port: {port}
    public-key: {PUBLIC[number]}
    private-key-file: {keys}/key{number}
    peers:
      bern:
        public-key: {PEERS[0]}
        preshared-key-file: {keys}/key{SHARED}
        preshared-key-sha256: {digest.partition(":")[2]}
        endpoint: 198.51.100.1
        port: 51820
        allowed-ips: [ 10.7.0.2/32 ]
"""
    )
    return str(path)


def keys_of_vpp(router: Router) -> tuple[bytes, bytes]:
    main_of_wg = router.vpp.tables.part(WireguardMain)
    (interface,), (peer,) = main_of_wg.interfaces, main_of_wg.peers
    return interface.private_key, peer.preshared_key


def test_a_file_is_applied_and_then_there_is_nothing_to_do(router: Router, keys: Path) -> None:
    name = config(keys)
    assert router.run("apply", "-c", name)[0] == ExitCode.DONE
    assert keys_of_vpp(router) == (PRIVATE[OLD], PRIVATE[SHARED])
    assert router.is_at(name)


@pytest.mark.parametrize("command", [["check"], ["plan"], ["diff"], ["plan", "--novpp"]], ids=" ".join)
def test_who_only_looks_needs_no_key(router: Router, keys: Path, command: Sequence[str]) -> None:
    name = config(keys)
    for number in range(4):
        (keys / f"key{number}").unlink()
    place = [] if command[-1] in {"check", "--novpp"} else ["-a", router.socket]
    assert main([*command, "-c", name, *place]) in {ExitCode.DONE, ExitCode.CHANGES_PENDING}


def test_a_rollback_brings_the_former_key_back_without_its_file(router: Router, keys: Path) -> None:
    assert router.run("apply", "-c", config(keys, OLD))[0] == ExitCode.DONE
    assert router.run("apply", "-c", config(keys, NEW))[0] == ExitCode.DONE
    assert keys_of_vpp(router)[0] == PRIVATE[NEW]
    (keys / f"key{OLD}").write_text(f"{key_text(PRIVATE[3])}\n")
    (keys / f"key{SHARED}").unlink()
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    assert keys_of_vpp(router) == (PRIVATE[OLD], PRIVATE[SHARED])


def test_what_was_made_by_hand_comes_back_with_its_key(router: Router, keys: Path) -> None:
    key = key_text(PRIVATE[3])
    router.vpp.run_line(f"wireguard create listen-port 51820 private-key {key} src 192.0.2.1 instance 0")
    assert router.run("apply", "-c", config(keys))[0] == ExitCode.DONE
    assert router.run("rollback", "--yes")[0] == ExitCode.DONE
    (interface,) = router.vpp.tables.part(WireguardMain).interfaces
    assert interface.private_key == PRIVATE[3]


def test_a_boot_brings_keys_back_from_the_journal(router: Router, keys: Path) -> None:
    name = config(keys)
    assert router.run("apply", "-c", name)[0] == ExitCode.DONE
    (keys / f"key{OLD}").unlink()
    (keys / f"key{SHARED}").write_text(f"{key_text(PRIVATE[3])}\n")
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", name)[0] == ExitCode.DONE
    assert keys_of_vpp(router) == (PRIVATE[OLD], PRIVATE[SHARED])


def test_a_boot_with_a_damaged_journal_takes_keys_from_the_second_copy(router: Router, keys: Path) -> None:
    name = config(keys)
    assert router.run("apply", "-c", name)[0] == ExitCode.DONE
    for file in (router.journal / "000001").iterdir():
        file.unlink()
    (keys / f"key{OLD}").unlink()
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", name)[0] == ExitCode.DONE
    assert keys_of_vpp(router) == (PRIVATE[OLD], PRIVATE[SHARED])


def test_a_change_that_fails_brings_the_former_key_back(router: Router, keys: Path) -> None:
    assert router.run("apply", "-c", config(keys, OLD))[0] == ExitCode.DONE
    (keys / f"key{OLD}").unlink()
    position = router.vpp.faults.count + 5
    router.vpp.faults.faults = replace(router.vpp.faults.faults, fail_at=position)
    assert router.run("apply", "-c", config(keys, NEW))[0] == ExitCode.ROLLED_BACK
    assert keys_of_vpp(router) == (PRIVATE[OLD], PRIVATE[SHARED])


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda file: file.write_text(f"{key_text(PRIVATE[3])}\n"), "is not the private key of wg0"),
        (lambda file: file.unlink(), "No such file"),
        (lambda file: file.chmod(0o640), "others can read"),
        (lambda file: file.write_text("not a key\n"), "has no key of WireGuard"),
        (lambda file: file.write_text(f"{key_text(bytes(32))}\n"), "all zeros"),
    ],
    ids=["another key", "no file", "readable", "no key", "zeros"],
)
def test_a_file_with_another_key_is_refused_before_anything_is_changed(
    router: Router, keys: Path, damage: Callable[[Path], Any], text: str
) -> None:
    damage(keys / f"key{OLD}")
    code, err = router.run("apply", "-c", config(keys))
    assert (code, text in err) == (ExitCode.REFUSED, True)
    assert "wg0" not in str(router.vpp.tables.hw_by_name)
    assert not router.journal.exists() or list(router.journal.iterdir()) == []
    assert_no_key_in(err)


def test_a_preshared_key_with_another_digest_is_refused(router: Router, keys: Path) -> None:
    code, err = router.run("apply", "-c", config(keys, digest=PRESHARED[3]))
    assert (code, f"it gives {PRESHARED[SHARED]}" in err) == (ExitCode.REFUSED, True)


def test_without_the_package_its_name_is_said(router: Router, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_as_before = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return import_as_before(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    code, err = router.run("apply", "-c", config(keys))
    assert (code, "apt install python3-cryptography" in err) == (ExitCode.REFUSED, True)
    assert "pipx inject vppcfg cryptography" in err  # not a name on PyPI, where another program is called vppcfg


def test_a_saved_plan_holds_no_key_and_refuses_a_file_that_has_another_one(
    router: Router, keys: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan"
    assert router.run("plan", "--save", str(plan), "-c", config(keys))[0] == ExitCode.DONE
    assert_no_key_in(plan.read_text())
    (keys / f"key{OLD}").write_text(f"{key_text(PRIVATE[3])}\n")
    code, err = router.run("apply", str(plan))
    assert (code, f"{keys}/key{OLD} is not the private key of wg0" in err) == (ExitCode.REFUSED, True)
    key_file(keys, OLD)
    assert router.run("apply", str(plan))[0] == ExitCode.DONE


def test_a_dump_names_the_files_that_the_last_change_was_made_with(
    router: Router, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert router.run("apply", "-c", config(keys))[0] == ExitCode.DONE
    assert main(["dump", "-a", router.socket]) == ExitCode.DONE
    text = capsys.readouterr().out
    assert f"private-key-file: {keys}/key{OLD}" in text
    assert f"public-key: {PUBLIC[OLD]}" in text
    assert f"      bern:\n        public-key: {PEERS[0]}\n        preshared-key-file: {keys}/key{SHARED}" in text
    assert_no_key_in(text)


def test_no_key_is_shown_or_kept_where_others_can_read_it(
    router: Router, keys: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = []
    for number in (OLD, NEW):
        name = config(keys, number)
        for words in (["plan"], ["plan", "--format", "json"], ["diff"], ["apply"], ["plan", "-v"]):
            main([*consenting([*words, "-c", name]), "-a", router.socket])
            shown.append("".join(capsys.readouterr()))
    for words in (["dump"], ["history"], ["history", "2"], ["history", "--format", "json"], ["diff", "2"]):
        main([*words, "-a", router.socket])
        shown.append("".join(capsys.readouterr()))
    assert router.statuses() == ["applied", "applied"]
    assert_no_key_in("\n".join([*shown, caplog.text]))
    private = [path for path in router.state.rglob("*") if path.is_file() and has_key(path.read_text())]
    assert {path.name for path in private} == {"keys.json", f"{router.copy.name}.keys"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert json.loads((router.journal / "000002" / "before.json").read_text().splitlines()[1])["wireguards"]


def has_key(text: str) -> bool:
    """Return whether a text has one of the keys that were used, in some form."""
    secrets: Mapping[str, bytes] = {key_text(key): key for key in PRIVATE[:4]}
    return any(word in text or key.hex() in text or key.hex(":") in text for word, key in secrets.items())


def assert_no_key_in(text: str) -> None:
    assert not has_key(text)
