"""An agent that attaches access lists of its own to ports of a real VPP that a file manages: they stay, or are named.

VPP takes the lists of an interface as a whole, in order: what it has afterwards is read here by the agent's own client.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORT = "GigabitEthernet1/0/0"
ALL = 0xFFFFFFFF
TERMS = "{ terms: [ { action: permit, source: 192.0.2.0/24 } ] }"
FILE = f"""
interfaces:
  {PORT}: {{ acls: {{ input: [ web, mail ], output: web }}, sub-interfaces: {{ 100: {{ mtu: 1500, macip: hosts }} }} }}
acls: {{ web: {TERMS}, mail: {TERMS} }}
macip_acls: {{ hosts: {TERMS} }}
"""
COVERED = f'{FILE}unmanaged: [ "acl:flowspec-*" ]\n'


class Agent:
    """Another program with lists before and behind those of the file."""

    def __init__(self, vpp: RealVpp) -> None:
        self._api = vpp.client.api
        self.first, self.last = (self._made(tag) for tag in ("flowspec-v4", "flowspec-end"))

    def _made(self, tag: str) -> int:
        rule = {"is_permit": 0, "src_prefix": "198.51.100.0/24", "dst_prefix": "0.0.0.0/0"}
        return int(self._api.acl_add_replace(acl_index=ALL, tag=tag, count=1, r=[rule]).acl_index)

    def applied(self, name: str = PORT) -> tuple[list[str], list[str]]:
        """Return the tags of the lists of an interface, of what comes in and of what goes out."""
        tags = {row.acl_index: str(row.tag) for row in self._api.acl_dump(acl_index=ALL)}
        for row in self._api.acl_interface_list_dump(sw_if_index=self._index(name)):
            found = [tags[number] for number in row.acls[: row.count]]
            return found[: row.n_input], found[row.n_input :]
        return [], []

    def surround(self, name: str = PORT) -> None:
        """Put its lists around those that an interface applies to what comes in."""
        index, lists = self._index(name), self._row(name)
        inputs = [self.first, *lists.acls[: lists.n_input], self.last]
        acls = [*inputs, *lists.acls[lists.n_input : lists.count]]
        values = {"count": len(acls), "n_input": len(inputs), "acls": acls}
        assert self._api.acl_interface_set_acl_list(sw_if_index=index, **values).retval == 0

    def take_off(self, acl: int, name: str = PORT) -> None:
        values = {"is_add": False, "is_input": True, "acl_index": acl}
        assert self._api.acl_interface_add_del(sw_if_index=self._index(name), **values).retval == 0

    def _row(self, name: str) -> Any:
        (row,) = self._api.acl_interface_list_dump(sw_if_index=self._index(name))
        return row

    def _index(self, name: str) -> int:
        rows = self._api.sw_interface_dump(name_filter_valid=True, name_filter=name)
        return next(int(row.sw_if_index) for row in rows if row.interface_name == name)


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running((PORT,)) as started:
        yield started


def run(vpp: RealVpp, folder: Path, text: str, command: str, *words: str) -> int:
    (folder / "file.yaml").write_text(text)
    file = ["-c", str(folder / "file.yaml")] if command != "rollback" else []
    state = ["-a", str(vpp.socket_path), "--state-dir", str(folder / "state")]
    return main([command, "-q", *([] if command == "plan" else ["-y"]), *words, *file, *state])


BOTH = (["flowspec-v4", "vppcfg web", "vppcfg mail", "flowspec-end"], ["vppcfg web"])


def test_what_unmanaged_covers_stays_in_its_place_through_changes_and_their_rollbacks(
    vpp: RealVpp, tmp_path: Path
) -> None:
    agent = Agent(vpp)
    assert run(vpp, tmp_path, FILE, "apply") == ExitCode.DONE
    agent.surround()
    assert run(vpp, tmp_path, COVERED, "plan", "--detailed-exitcode") == ExitCode.DONE
    assert agent.applied() == BOTH
    assert run(vpp, tmp_path, COVERED.replace("[ web, mail ]", "mail"), "apply") == ExitCode.DONE
    assert agent.applied() == (["flowspec-v4", "vppcfg mail", "flowspec-end"], ["vppcfg web"])
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    assert agent.applied() == BOTH
    agent.take_off(agent.first)
    assert run(vpp, tmp_path, COVERED.replace("output: web", "output: mail"), "apply") == ExitCode.DONE
    agent.take_off(agent.last)
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    assert agent.applied() == (["vppcfg web", "vppcfg mail"], ["vppcfg web"]), "the agent has taken its own off"


def test_without_it_they_are_taken_off_on_request_alone_and_a_rollback_applies_them_again(
    vpp: RealVpp, tmp_path: Path
) -> None:
    agent = Agent(vpp)
    assert run(vpp, tmp_path, FILE, "apply") == ExitCode.DONE
    agent.surround()
    assert [run(vpp, tmp_path, FILE, command) for command in ("plan", "apply")] == [ExitCode.REFUSED] * 2
    assert agent.applied() == BOTH
    assert run(vpp, tmp_path, FILE, "apply", "--lose-unmanaged") == ExitCode.DONE
    assert agent.applied() == (["vppcfg web", "vppcfg mail"], ["vppcfg web"])
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    assert agent.applied() == BOTH


def test_a_recreated_sub_interface_has_them_again_and_one_that_goes_is_asked_for(vpp: RealVpp, tmp_path: Path) -> None:
    agent, sub = Agent(vpp), f"{PORT}.100"
    listed = COVERED.replace("mtu: 1500,", "mtu: 1500, acls: { input: web },")
    assert run(vpp, tmp_path, listed, "apply") == ExitCode.DONE
    agent.surround(sub)
    changed = listed.replace("mtu: 1500,", "encapsulation: { dot1ad: 100, exact-match: true },")
    assert run(vpp, tmp_path, changed, "apply") == ExitCode.DONE
    assert agent.applied(sub) == (["flowspec-v4", "vppcfg web", "flowspec-end"], [])
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    assert agent.applied(sub) == (["flowspec-v4", "vppcfg web", "flowspec-end"], [])
    assert run(vpp, tmp_path, listed.replace("{ 100: {", "{ 200: {"), "apply") == ExitCode.REFUSED
    assert run(vpp, tmp_path, listed.replace("{ 100: {", "{ 200: {"), "apply", "--lose-unmanaged") == ExitCode.DONE
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    assert agent.applied(sub) == (["flowspec-v4", "vppcfg web", "flowspec-end"], [])
