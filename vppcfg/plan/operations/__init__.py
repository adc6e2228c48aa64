"""The operations that VPP really has: one is one API message and one CLI line.

They name objects by name, never by index; how each is written as CLI text or sent to VPP is known elsewhere.
"""

from __future__ import annotations

from vppcfg.model.bridge import bridge_name
from vppcfg.plan.operations.acl import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.plan.operations.address import AddAddress, RemoveAddress, SetUnnumbered, UnsetUnnumbered
from vppcfg.plan.operations.bond import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight
from vppcfg.plan.operations.bridge import BridgeFlag, CreateBridge, DeleteBridge, SetBridgeFlag, SetBridgeMacAge
from vppcfg.plan.operations.interface import SetAdminState, SetLinkMtu, SetMac, SetPacketMtu, SetTag
from vppcfg.plan.operations.l2 import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.plan.operations.lcp import CreateLcpPair, DeleteLcpPair
from vppcfg.plan.operations.linux import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.plan.operations.loopback import CreateLoopback, DeleteLoopback
from vppcfg.plan.operations.mpls import CreateMplsTable, SetMpls
from vppcfg.plan.operations.sflow import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate
from vppcfg.plan.operations.sub_interface import CreateSubInterface, DeleteSubInterface
from vppcfg.plan.operations.tap import CreateTap, DeleteTap
from vppcfg.plan.operations.vxlan import CreateVxlan, DeleteVxlan

Operation = (
    SetAdminState
    | SetLinkMtu
    | SetPacketMtu
    | SetMac
    | SetTag
    | CreateSubInterface
    | DeleteSubInterface
    | AddAddress
    | RemoveAddress
    | SetUnnumbered
    | UnsetUnnumbered
    | CreateLcpPair
    | DeleteLcpPair
    | SetCrossConnect
    | JoinBridge
    | LeaveL2
    | SetTagRewrite
    | CreateLoopback
    | DeleteLoopback
    | CreateBond
    | DeleteBond
    | AddBondMember
    | SetBondWeight
    | RemoveBondMember
    | CreateBridge
    | DeleteBridge
    | SetBridgeFlag
    | SetBridgeMacAge
    | CreateVxlan
    | DeleteVxlan
    | CreateTap
    | DeleteTap
    | CreateAcl
    | ReplaceAcl
    | DeleteAcl
    | BindAcls
    | CreateMplsTable
    | SetMpls
    | SetSflow
    | SetSflowSamplingRate
    | SetSflowPollingInterval
    | SetSflowHeaderBytes
    | CreateNamespace
    | CreateLinuxBridge
    | SetLinuxLink
    | SetLinuxBridge
)


def subject(operation: Operation) -> str:
    """Return the name of what an operation is about: an interface, a bridge, an access list, or a part of VPP."""
    name: str | None = getattr(operation, "interface", None)
    return _other_subject(operation) if name is None else name


def _other_subject(operation: Operation) -> str:
    match operation:
        case CreateAcl() | ReplaceAcl() | DeleteAcl():
            return operation.acl
        case CreateBridge() | DeleteBridge() | SetBridgeFlag() | SetBridgeMacAge():
            return bridge_name(operation.bd_id)
        case SetSflowSamplingRate() | SetSflowPollingInterval() | SetSflowHeaderBytes():
            return "sflow"
        case CreateNamespace():
            return operation.netns
        case CreateLinuxBridge():
            return operation.bridge
        case CreateMplsTable():
            return "mpls"
        case _:
            raise NotImplementedError(type(operation).__name__)


LinuxOperation = CreateNamespace | CreateLinuxBridge | SetLinuxLink | SetLinuxBridge
"""Operations that VPP knows nothing of."""


__all__ = [
    "AddAddress",
    "AddBondMember",
    "BindAcls",
    "BridgeFlag",
    "CreateAcl",
    "CreateBond",
    "CreateBridge",
    "CreateLcpPair",
    "CreateLinuxBridge",
    "CreateLoopback",
    "CreateMplsTable",
    "CreateNamespace",
    "CreateSubInterface",
    "CreateTap",
    "CreateVxlan",
    "DeleteAcl",
    "DeleteBond",
    "DeleteBridge",
    "DeleteLcpPair",
    "DeleteLoopback",
    "DeleteSubInterface",
    "DeleteTap",
    "DeleteVxlan",
    "JoinBridge",
    "LeaveL2",
    "LinuxOperation",
    "Operation",
    "RemoveAddress",
    "RemoveBondMember",
    "ReplaceAcl",
    "SetAdminState",
    "SetBondWeight",
    "SetBridgeFlag",
    "SetBridgeMacAge",
    "SetCrossConnect",
    "SetLinkMtu",
    "SetLinuxBridge",
    "SetLinuxLink",
    "SetMac",
    "SetMpls",
    "SetPacketMtu",
    "SetSflow",
    "SetSflowHeaderBytes",
    "SetSflowPollingInterval",
    "SetSflowSamplingRate",
    "SetTag",
    "SetTagRewrite",
    "SetUnnumbered",
    "UnsetUnnumbered",
    "subject",
]
