"""The operations that VPP really has: each is one API message, and one line of VPP's CLI where that can express it.

`plan/operation` has what all of them can be asked; the modules here have those that belong to no module of `kinds/`.
Those of kinds are listed by their kind (`Kind.operations`); here stand only those that other packages look for.
"""

from __future__ import annotations

from vppcfg.kinds.address import RemoveAddress
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
from vppcfg.kinds.l2_operations import LeaveL2
from vppcfg.kinds.lcp.operations import CreateLcpPair, DeleteLcpPair
from vppcfg.kinds.link_local import SetLinkLocal
from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.kinds.path_mtu import AnchorHost
from vppcfg.kinds.policy_route_operations import CreatePolicy
from vppcfg.kinds.ra_operations import RenewIpv6
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
    "AnchorHost",
    "AttachmentOperation",
    "CreateInterface",
    "CreateLcpPair",
    "CreateLinuxBridge",
    "CreateNamespace",
    "CreatePolicy",
    "CreateSubInterface",
    "DeleteInterface",
    "DeleteLcpPair",
    "InterfaceOperation",
    "LeaveL2",
    "Operation",
    "RemoveAddress",
    "RemoveAttachment",
    "RemoveNeighbor",
    "RemoveObject",
    "RenewIpv6",
    "RestoreAttachment",
    "RestoreInLinux",
    "RestoreInVpp",
    "SetAdminState",
    "SetDet44",
    "SetDhcpClient",
    "SetLinkLocal",
    "SetLinkMtu",
    "SetLinuxBridge",
    "SetLinuxLink",
    "SetMac",
    "SetNeighbor",
    "SetObject",
    "SetPacketMtu",
    "SetRxMode",
    "SetRxPlacement",
    "SetTag",
    "SetTxPlacement",
]
