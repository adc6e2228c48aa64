"""The operations that VPP really has: each is one API message, and one line of VPP's CLI where that can say it.

`plan/operation` has what all of them can be asked; the modules here have those that belong to no module of `kinds/`.
Those of kinds are listed by their kind (`Kind.operations`); here stand only those that other packages look for.
"""

from __future__ import annotations

from vppcfg.kinds.acl_operations import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.kinds.address import AddAddress, RemoveAddress, SetUnnumbered, UnsetUnnumbered
from vppcfg.kinds.bond.operations import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight
from vppcfg.kinds.bridge_operations import (
    BridgeFlag,
    CreateBridge,
    DeleteBridge,
    FilterMac,
    ForgetMac,
    SetBridgeFlag,
    SetBridgeMacAge,
)
from vppcfg.kinds.dhcp_client import SetDhcpClient
from vppcfg.kinds.gre import CreateGre, DeleteGre
from vppcfg.kinds.gso import SetGso
from vppcfg.kinds.host_interface import CreateHostInterface, DeleteHostInterface
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
from vppcfg.kinds.ipfix import SetFlowRecords
from vppcfg.kinds.ipfix_settings import SetFlowParams, SetIpfixExporter
from vppcfg.kinds.ipip import CreateIpip, DeleteIpip
from vppcfg.kinds.l2_operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.kinds.lcp import CreateLcpPair, DeleteLcpPair
from vppcfg.kinds.link_local import SetLinkLocal
from vppcfg.kinds.lldp import SetLldp, SetLldpSettings
from vppcfg.kinds.loopback import CreateLoopback, DeleteLoopback
from vppcfg.kinds.macip import SetMacip
from vppcfg.kinds.macip_acl import CreateMacip, DeleteMacip, ReplaceMacip
from vppcfg.kinds.memif import CreateMemif, DeleteMemif
from vppcfg.kinds.memif_socket import CreateMemifSocket, DeleteMemifSocket
from vppcfg.kinds.mirror import SetMirror
from vppcfg.kinds.mpls import CreateMplsTable, SetMpls
from vppcfg.kinds.mss_clamp import SetMssClamp
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.kinds.proxy_arp import SetProxyArp
from vppcfg.kinds.proxy_arp_ranges import AddProxyArp, RemoveProxyArp
from vppcfg.kinds.ra_operations import RemoveRaPrefix, RenewIpv6, ResetRa, SetRa, SetRaPrefix, SilenceRa
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.kinds.sflow import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate
from vppcfg.kinds.static_mac import SetStaticMac
from vppcfg.kinds.sub_interface import CreateSubInterface, DeleteSubInterface
from vppcfg.kinds.tap.operations import CreateTap, DeleteTap
from vppcfg.kinds.urpf import SetUrpf
from vppcfg.kinds.vhost_user import CreateVhostUser, DeleteVhostUser
from vppcfg.kinds.vrf_operations import CreateVrf, DeleteVrf, MarkVrfRoutes, ReleaseTypedVrf, SetTable, SweepVrfRoutes
from vppcfg.kinds.vxlan import CreateVxlan, DeleteVxlan
from vppcfg.kinds.wireguard.operations import AddWireguardPeer, CreateWireguard, DeleteWireguard, RemoveWireguardPeer
from vppcfg.plan.feature import SetFeature, Switch
from vppcfg.plan.object_operation import RemoveObject, SetObject
from vppcfg.plan.operation import CreateInterface, DeleteInterface, InterfaceOperation, Operation
from vppcfg.plan.operations.attachment import AttachmentOperation, BringBack, PutBack, RestoreInLinux, TakeOff
from vppcfg.plan.operations.linux import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink

__all__ = [
    "AddAddress",
    "AddBondMember",
    "AddProxyArp",
    "AddWireguardPeer",
    "AttachmentOperation",
    "BindAcls",
    "BridgeFlag",
    "BringBack",
    "CreateAcl",
    "CreateBond",
    "CreateBridge",
    "CreateGre",
    "CreateHostInterface",
    "CreateInterface",
    "CreateIpip",
    "CreateLcpPair",
    "CreateLinuxBridge",
    "CreateLoopback",
    "CreateMacip",
    "CreateMemif",
    "CreateMemifSocket",
    "CreateMplsTable",
    "CreateNamespace",
    "CreateSubInterface",
    "CreateTap",
    "CreateVhostUser",
    "CreateVrf",
    "CreateVxlan",
    "CreateWireguard",
    "DeleteAcl",
    "DeleteBond",
    "DeleteBridge",
    "DeleteGre",
    "DeleteHostInterface",
    "DeleteInterface",
    "DeleteIpip",
    "DeleteLcpPair",
    "DeleteLoopback",
    "DeleteMacip",
    "DeleteMemif",
    "DeleteMemifSocket",
    "DeleteSubInterface",
    "DeleteTap",
    "DeleteVhostUser",
    "DeleteVrf",
    "DeleteVxlan",
    "DeleteWireguard",
    "FilterMac",
    "ForgetMac",
    "InterfaceOperation",
    "JoinBridge",
    "LeaveL2",
    "MarkVrfRoutes",
    "Operation",
    "PutBack",
    "ReleaseTypedVrf",
    "RemoveAddress",
    "RemoveBondMember",
    "RemoveNeighbor",
    "RemoveObject",
    "RemoveProxyArp",
    "RemoveRaPrefix",
    "RemoveRoute",
    "RemoveWireguardPeer",
    "RenewIpv6",
    "ReplaceAcl",
    "ReplaceMacip",
    "ResetRa",
    "RestoreInLinux",
    "SetAdminState",
    "SetBondWeight",
    "SetBridgeFlag",
    "SetBridgeMacAge",
    "SetCrossConnect",
    "SetDhcpClient",
    "SetFeature",
    "SetFlowParams",
    "SetFlowRecords",
    "SetGso",
    "SetIpfixExporter",
    "SetLinkLocal",
    "SetLinkMtu",
    "SetLinuxBridge",
    "SetLinuxLink",
    "SetLldp",
    "SetLldpSettings",
    "SetMac",
    "SetMacip",
    "SetMirror",
    "SetMpls",
    "SetMssClamp",
    "SetNeighbor",
    "SetObject",
    "SetPacketMtu",
    "SetProxyArp",
    "SetRa",
    "SetRaPrefix",
    "SetRoute",
    "SetRxMode",
    "SetRxPlacement",
    "SetSflow",
    "SetSflowHeaderBytes",
    "SetSflowPollingInterval",
    "SetSflowSamplingRate",
    "SetStaticMac",
    "SetTable",
    "SetTag",
    "SetTagRewrite",
    "SetTxPlacement",
    "SetUnnumbered",
    "SetUrpf",
    "SilenceRa",
    "SweepVrfRoutes",
    "Switch",
    "TakeOff",
    "UnsetUnnumbered",
]
