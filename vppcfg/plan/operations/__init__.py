"""The operations that VPP really has: each is one API message, and one line of VPP's CLI where that can express it.

`plan/operation` has what all of them can be asked; the modules here have those that belong to no module of `kinds/`.
Those of kinds are listed by their kind (`Kind.operations`); here stand only those that other packages look for.
"""

from __future__ import annotations

from vppcfg.kinds.acl_operations import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.kinds.address import RemoveAddress
from vppcfg.kinds.bond.operations import AddBondMember, RemoveBondMember, SetBondWeight
from vppcfg.kinds.bridge_operations import (
    BridgeFlag,
    CreateBridge,
    DeleteBridge,
    FilterMac,
    ForgetMac,
    SetBridgeFlag,
    SetBridgeMacAge,
)
from vppcfg.kinds.det44 import SetDet44
from vppcfg.kinds.dhcp_client import SetDhcpClient
from vppcfg.kinds.interface import (
    SetAdminState,
    SetLinkMtu,
    SetMac,
    SetPacketMtu,
    SetRxMode,
    SetRxPlacement,
    SetTag,
    SetTxPlacement,
)
from vppcfg.kinds.l2_operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.kinds.lcp.operations import CreateLcpPair, DeleteLcpPair
from vppcfg.kinds.link_local import SetLinkLocal
from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.kinds.macip import SetMacip
from vppcfg.kinds.macip_acl import CreateMacip, DeleteMacip, ReplaceMacip
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.kinds.path_mtu import AnchorHost
from vppcfg.kinds.policy_route_operations import CreatePolicy
from vppcfg.kinds.ra_operations import RenewIpv6
from vppcfg.kinds.static_mac import SetStaticMac
from vppcfg.kinds.sub_interface import CreateSubInterface
from vppcfg.plan.object_operation import RemoveObject, SetObject
from vppcfg.plan.operation import CreateInterface, DeleteInterface, InterfaceOperation, Operation
from vppcfg.plan.operations.attachment import (
    AttachmentOperation,
    RemoveAttachment,
    RestoreAttachment,
    RestoreInLinux,
    RestoreInVpp,
)

__all__ = [
    "AddBondMember",
    "AnchorHost",
    "AttachmentOperation",
    "BindAcls",
    "BridgeFlag",
    "CreateAcl",
    "CreateBridge",
    "CreateInterface",
    "CreateLcpPair",
    "CreateLinuxBridge",
    "CreateMacip",
    "CreateNamespace",
    "CreatePolicy",
    "CreateSubInterface",
    "DeleteAcl",
    "DeleteBridge",
    "DeleteInterface",
    "DeleteLcpPair",
    "DeleteMacip",
    "FilterMac",
    "ForgetMac",
    "InterfaceOperation",
    "JoinBridge",
    "LeaveL2",
    "Operation",
    "RemoveAddress",
    "RemoveAttachment",
    "RemoveBondMember",
    "RemoveNeighbor",
    "RemoveObject",
    "RenewIpv6",
    "ReplaceAcl",
    "ReplaceMacip",
    "RestoreAttachment",
    "RestoreInLinux",
    "RestoreInVpp",
    "SetAdminState",
    "SetBondWeight",
    "SetBridgeFlag",
    "SetBridgeMacAge",
    "SetCrossConnect",
    "SetDet44",
    "SetDhcpClient",
    "SetLinkLocal",
    "SetLinkMtu",
    "SetLinuxBridge",
    "SetLinuxLink",
    "SetMac",
    "SetMacip",
    "SetNeighbor",
    "SetObject",
    "SetPacketMtu",
    "SetRxMode",
    "SetRxPlacement",
    "SetStaticMac",
    "SetTag",
    "SetTagRewrite",
    "SetTxPlacement",
]
