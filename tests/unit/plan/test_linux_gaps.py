"""How long Linux is without an address on the device of a pair: from the last that goes to the first that comes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.unit.plan.test_carried_in_linux import ADDRESS, STATE, planned
from tests.unit.plan.test_carried_in_linux import renamed as with_other_device
from tests.unit.plan.test_linux_losses import OTHER, SIX, A, B, C, state
from vppcfg.model.features import DhcpClient
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.plan.linux_gaps import address_gaps
from vppcfg.plan.plan import make_plan
from vppcfg.render.json_text import plan_document
from vppcfg.render.notes import gap_lines
from vppcfg.vpp.messages.readable import api_call


def with_interface(each: State, **changes: Any) -> State:
    return replace(each, interfaces={"eth0": replace(each.interfaces["eth0"], **changes)})


def renamed(each: State) -> State:
    return replace(each, lcps={"eth0": LcpPair(host_name="wan", netns="")})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (state(A), state(B), ["e0 has no IPv4 address in Linux from step 1 of 2 until step 2"]),
        (state(A, C), state(C, B), ["e0 has no IPv4 address in Linux from step 2 of 4 until step 3"]),
        (state(A, OTHER), state(B, OTHER), []),
        (state(A), state(OTHER), []),
        (state(A), state(), []),
        (state(), state(A), []),
        (state(A, is_sync=False), state(B, is_sync=False), []),
    ],
)
def test_what_changes_within_a_network_is_away_for_a_step(before: State, after: State, expected: list[str]) -> None:
    assert list(gap_lines(make_plan(before, after))) == expected


def test_a_device_with_another_name_gets_the_addresses_when_they_are_copied() -> None:
    plan = make_plan(state(A, SIX), renamed(state(A, SIX)))
    (line,) = gap_lines(plan)
    assert line.startswith("wan has no IPv4 and no IPv6 address in Linux from step 1 of ")


def test_json_has_all_of_them_as_the_schema_says() -> None:
    plan = make_plan(state(A, SIX), renamed(state(A, SIX)))
    document = json.loads(plan_document(plan, [], api_call=api_call))
    (four, six) = document["address_gaps"]
    assert (four["interface"], four["device"], four["family"], six["family"]) == ("eth0", "wan", "ipv4", "ipv6")
    schema = json.loads(Path("docs/plan.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)


def test_until_its_lease_comes_that_is_up_to_a_server() -> None:
    (line,) = gap_lines(make_plan(state(A), with_interface(state(), dhcp_client=DhcpClient())))
    assert line.endswith("until its lease comes")


def test_without_lcp_sync_those_of_linux_come_back_in_the_end() -> None:
    plan = planned(STATE, with_other_device(), ADDRESS)
    (gap,) = address_gaps(plan)
    assert (gap.device, gap.is_ipv6, gap.last) == ("other", False, len(plan.operations))
