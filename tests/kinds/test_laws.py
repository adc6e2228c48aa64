"""Laws of every kind, from its samples: a kind that is added to the list is held to all of them.

The simulator judges here; `tests/live/test_kinds.py` has a real VPP judge the same samples.
"""

import json
from dataclasses import replace

import pytest
import yaml

from tests.kinds.operations import bare_vpp, sampled_operations
from tests.kinds.samples import FOLDER, Samples, all_samples, samples_of
from tests.kinds.sent import ListeningVpp
from tests.kinds.there_and_back import assert_there_and_back, configuration_of, plan_to
from tests.operations import every_operation
from tests.simulated_vpp import connected
from vppcfg.config.dump import state_as_file
from vppcfg.config.resolve import resolve
from vppcfg.kinds.interface import SetRxPlacement, SetTxPlacement
from vppcfg.kinds.kind_list import KINDS, VIRTUAL_INTERFACES
from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.kinds.path_mtu import AnchorHost
from vppcfg.kinds.rate_limit_operations import FreeIndex
from vppcfg.model.keys import keys_of
from vppcfg.model.state import State
from vppcfg.operations.attachment import RemoveAttachment, RestoreInLinux, RestoreInVpp
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.render.plan_text import cli_line
from vppcfg.simulator.vpp import SimulatedVpp

PRIVATE_KEY = "<private key"
"""Stands in a line in place of a key."""
SAMPLES = all_samples()
of_every_kind = pytest.mark.parametrize("samples", SAMPLES, ids=lambda samples: samples.key)


def assert_a_dump_asks_for(state: State) -> None:
    """Check that a dump has no errors, and is a file by which nothing is to do."""
    text = state_as_file(state).text
    assert make_plan(state, resolve(configuration_of(yaml.safe_load(text)), state).desired).steps == ()


@of_every_kind
def test_what_is_sent_is_read_back_dumped_and_undone(samples: Samples, is_updating: bool) -> None:
    """What is sent stands in the file beside the samples; `--update-golden` writes it."""
    with connected(simulated := ListeningVpp(state=bare_vpp(samples))) as vpp:
        assert_there_and_back(samples, vpp, assert_a_dump_asks_for)
    file = FOLDER / f"{samples.key}.sent"
    if is_updating:
        file.write_text("".join(f"{line}\n" for line in sorted(simulated.heard)))
    assert sorted(simulated.heard) == file.read_text().splitlines()


@of_every_kind
def test_without_a_port_of_the_file_the_rest_can_be_planned(samples: Samples) -> None:
    """The answer is that VPP has no such port, not that a plan cannot be proved."""
    bare = bare_vpp(samples)
    for data in samples.configurations:
        for port in bare.interfaces:
            others = {name: each for name, each in bare.interfaces.items() if port not in (name, each.parent)}
            without = replace(bare, interfaces=others)
            resolution = resolve(configuration_of(data), without)
            make_plan(without, resolution.desired)
            if port in configuration_of(data).interfaces:
                assert "phy-missing" in {each.rule for each in resolution.problems}


@of_every_kind
def test_a_journal_keeps_what_is_there(samples: Samples) -> None:
    for data in samples.configurations:
        desired = resolve(configuration_of(data), bare_vpp(samples)).desired
        assert state_of(json.loads(json.dumps(document_of(desired)))) == desired


@of_every_kind
def test_a_typed_line_does_what_its_message_does(samples: Samples) -> None:
    for data in samples.configurations:
        plan = plan_to(data, bare_vpp(samples))
        lines = [line for operation in plan.operations if (line := cli_line(operation)) is not None]
        if len(lines) < len(plan.operations) or any(PRIVATE_KEY in line for line in lines):
            continue
        vpp = SimulatedVpp(state=bare_vpp(samples))
        for line in lines:
            assert vpp.run_line(line)[0] == 0, line
        with connected(vpp) as dataplane:
            assert list(diff(dataplane.observe(), plan.reached)) == []


def test_every_kind_has_samples() -> None:
    assert {kind.key for kind in KINDS if kind.key != "interfaces"} <= {samples.key for samples in SAMPLES}


BEYOND_SAMPLES = {
    *(CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink),
    *(SetRxPlacement, SetTxPlacement),
    *(AnchorHost, FreeIndex, RestoreInVpp, RestoreInLinux, RemoveAttachment),
}
"""Operations in Linux, on queues, which a VPP without workers does not place, and on what others have."""


def test_the_samples_run_every_operation() -> None:
    assert set(every_operation()) - {type(each) for each in sampled_operations()} == BEYOND_SAMPLES


def test_every_declared_key_changes_in_the_samples() -> None:
    """A key is absent in one sample and there in another one, or there with two values."""
    for kind in VIRTUAL_INTERFACES:
        entries = [entry or {} for data in samples_of(kind.key).configurations for entry in data[kind.key].values()]
        for key in keys_of(kind.virtual):
            assert len({repr(entry.get(key.name)) for entry in entries}) > 1, (kind.key, key.name)
