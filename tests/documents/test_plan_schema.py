"""docs/plan.schema.json: it describes what `plan --format json` writes, all of it, and nothing else."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.kinds.kind_list import OBJECTS, VIRTUAL_INTERFACE_CLASSES
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.attachment import ApiCall, Attachment
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.bridge import Bridge, BridgeSettings
from vppcfg.model.det44 import Det44Map, Det44Timeouts
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.linux_setting import LinuxHop, LinuxKind, LinuxSetting
from vppcfg.model.memif import Memif
from vppcfg.model.nat44 import NAT_OBJECTS
from vppcfg.model.policy_route import PolicyRoute, UnattachedPolicy
from vppcfg.model.route import NextHop, Route
from vppcfg.model.state import Facts, SflowSettings, State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, GreMode, Ipip, Vxlan
from vppcfg.model.vhost_user import VhostUser
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.model.vrf import FibTable
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.operations.change import Action, ObjectKind
from vppcfg.operations.stages import Phase
from vppcfg.plan.impact import Impact
from vppcfg.plan.services import ServicePart

ROOT = Path(__file__).resolve().parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "plan.schema.json").read_text())
DEFINITIONS = SCHEMA["$defs"]
TABLES = {*(virtual.table for virtual in VIRTUAL_INTERFACE_CLASSES), *(thing.table for thing in OBJECTS)}


def items_of(table: str) -> Any:
    """Return what describes the elements of a list in a state."""
    reference: str = DEFINITIONS["state"]["properties"][table]["items"]["$ref"]
    return DEFINITIONS[reference.rpartition("/")[2]]


@pytest.mark.parametrize("source", [["--novpp"], ["--state", "l2xc.yaml"]], ids=" ".join)
@pytest.mark.parametrize("example", ["l2xc.yaml", "l3.yaml", "router.yaml"])
def test_the_plan_of_an_example_is_as_the_schema_says(
    example: str, source: list[str], examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(examples)
    assert main(["plan", "-c", example, *source, "--format", "json"]) in {ExitCode.DONE, ExitCode.REFUSED}
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(capsys.readouterr().out))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("described", "record", "differing"),
    [
        (DEFINITIONS["interface"], Interface, {"name"}),
        (DEFINITIONS["encapsulation"], Encapsulation, set()),
        (DEFINITIONS["other_match"], OtherMatch, set()),
        (DEFINITIONS["interface"]["properties"]["tag_rewrite"], TagRewrite, set()),
        (DEFINITIONS["lcp"], LcpPair, set()),
        (DEFINITIONS["linux_device"], LinuxDevice, set()),
        (DEFINITIONS["linux_setting"], LinuxSetting, set()),
        (DEFINITIONS["linux_hop"], LinuxHop, set()),
        (DEFINITIONS["attachment"], Attachment, set()),
        (DEFINITIONS["api_call"], ApiCall, set()),
        (DEFINITIONS["state"], State, {"format_version", "virtual", "objects", *TABLES}),
        (DEFINITIONS["route"], Route, set()),
        (DEFINITIONS["det44_map"], Det44Map, set()),
        (DEFINITIONS["det44_timeouts"], Det44Timeouts, set()),
        (DEFINITIONS["route"]["properties"]["hops"]["items"], NextHop, set()),
        *((items_of(thing.table), thing, set()) for thing in NAT_OBJECTS),
        (DEFINITIONS["policy_route"], PolicyRoute, set()),
        (DEFINITIONS["loose_policy"], UnattachedPolicy, set()),
        (DEFINITIONS["virtual_router"], VirtualRouter, set()),
        (DEFINITIONS["bond"], Bond, set()),
        (DEFINITIONS["bond"]["properties"]["members"]["additionalProperties"], Membership, set()),
        (DEFINITIONS["bridge"], Bridge, set()),
        (DEFINITIONS["bridge"]["properties"]["settings"], BridgeSettings, set()),
        (DEFINITIONS["vxlan"], Vxlan, set()),
        (DEFINITIONS["gre"], Gre, set()),
        (DEFINITIONS["ipip"], Ipip, set()),
        (DEFINITIONS["host_interface"], HostInterface, set()),
        (DEFINITIONS["memif"], Memif, set()),
        (DEFINITIONS["vhost_user"], VhostUser, set()),
        (DEFINITIONS["wireguard"], Wireguard, set()),
        (DEFINITIONS["wireguard"]["properties"]["peers"]["additionalProperties"], WireguardPeer, set()),
        (DEFINITIONS["fib_table"], FibTable, set()),
        (DEFINITIONS["tap"], Tap, set()),
        (DEFINITIONS["acl"], Acl, set()),
        (DEFINITIONS["acl_rule"], AclRule, set()),
        (DEFINITIONS["interface"]["properties"]["acls"], AclBinding, set()),
        (DEFINITIONS["state"]["properties"]["sflow"], SflowSettings, set()),
        (DEFINITIONS["facts"], Facts, {"linux_neighbors", "linux_others", "linux_udp_ports", "sizes", "left_out"}),
        (DEFINITIONS["facts"]["properties"]["lcp"], LcpSettings, set()),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_attribute_is_described(described: dict[str, Any], record: type, differing: set[str]) -> None:
    assert set(described["properties"]) ^ {field.name for field in dataclasses.fields(record)} == differing


def test_every_word_of_a_closed_set_is_described() -> None:
    kinds = [kind.value for kind in InterfaceKind]
    others = [kind.value for kind in ObjectKind if kind not in (ObjectKind.INTERFACE, ObjectKind.OBJECT)]
    others += [thing.noun for thing in OBJECTS]
    change = SCHEMA["properties"]["changes"]["items"]["properties"]
    operation = SCHEMA["properties"]["operations"]["items"]["properties"]
    assert DEFINITIONS["impact"]["enum"] == [impact.label for impact in Impact]
    assert DEFINITIONS["interface"]["properties"]["kind"]["enum"] == kinds
    assert change["kind"]["enum"] == [*kinds, *others]
    lost = SCHEMA["properties"]["services"]["items"]["properties"]["losses"]["items"]["properties"]["part"]["enum"]
    assert lost == [*(part.value for part in ServicePart), *(thing.noun for thing in OBJECTS if thing.carries_traffic)]
    felt = SCHEMA["properties"]["services"]["items"]["properties"]["losses"]["items"]["properties"]["felt"]["enum"]
    assert felt == list(dict.fromkeys([None, *(word for thing in OBJECTS for word in thing.impact_verbs)]))
    assert change["action"]["enum"] == [action.value for action in Action]
    assert DEFINITIONS["bond"]["properties"]["mode"]["enum"] == [mode.value for mode in BondMode]
    assert DEFINITIONS["bond"]["properties"]["load_balance"]["enum"] == [*(each.value for each in LoadBalance), None]
    assert DEFINITIONS["gre"]["properties"]["mode"]["enum"] == [mode.value for mode in GreMode]
    assert DEFINITIONS["acl_rule"]["properties"]["action"]["enum"] == [action.value for action in AclAction]
    assert DEFINITIONS["linux_setting"]["properties"]["kind"]["enum"] == [kind.value for kind in LinuxKind]
    assert operation["phase"]["enum"] == [phase.value for phase in Phase]
