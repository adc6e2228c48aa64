"""Computes Settings from the section `dataplane` and a machine; every value comes with its reason.

Nothing is judged here: the checks find contradictions in the values that come out.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.common.release import Release
from vppcfg.config.plugins import needed_plugins
from vppcfg.entries.configuration import Configuration
from vppcfg.model.dataplane import FRAME_OVERHEAD_BYTES, DataplaneSection
from vppcfg.model.host import Host, Nic
from vppcfg.startup.derive.cpu import place
from vppcfg.startup.derive.devices import default_descriptors, devices_of, nics_of, set_up_queues
from vppcfg.startup.derive.kernel import kernel_parameters, sysctls
from vppcfg.startup.derive.memory import size_memory
from vppcfg.startup.limits import NicLimits, limits_of
from vppcfg.startup.settings import Ledger, LinuxCp, Settings, ValueOrigin


def derive(
    configuration: Configuration, host: Host, release: Release, measured: Mapping[str, NicLimits] | None = None
) -> Settings:
    """Return everything that startup.conf, kernel command line and sysctl are made of.

    `measured` has the limits of the devices that a running VPP drives, by PCI address.
    """
    known = measured or {}
    section = configuration.dataplane or DataplaneSection()
    ledger = Ledger(section.given)
    chosen = devices_of(configuration, section, host, ledger)
    placement = place(section.cpu, host, nics_of(chosen, host), ledger)

    def limits(nic: Nic) -> NicLimits | None:
        return known.get(nic.address) or limits_of(nic, release)

    devices = set_up_queues(chosen, section, placement, host, limits, ledger)
    of_dpdk = [device for device in devices if device.driver is None]
    plugins = _choose_plugins(configuration, section, release, bool(of_dpdk), ledger)
    memory = size_memory(configuration, section, host, placement, devices, release, ledger)
    linux_cp = _linux_cp(section, ledger) if "linux_cp" in plugins else None
    _explain_unix(section, ledger)
    return Settings(
        release=release,
        placement=placement,
        memory=memory,
        devices=devices,
        has_native_stanza=section.native_devices is not None,
        default_descriptors=default_descriptors(of_dpdk, section.dpdk.default),
        is_multi_seg=_choose_multi_seg(configuration, section, ledger),
        has_tx_checksum_offload=section.dpdk.has_tx_checksum_offload,
        plugins=plugins,
        linux_cp=linux_cp,
        has_linux_nl="linux_nl" in plugins,
        gid=section.unix.gid,
        exec_file=section.unix.exec_file,
        poll_sleep_us=section.unix.poll_sleep_us,
        kernel_parameters=kernel_parameters(section.kernel, host, placement, memory, devices, ledger),
        sysctls=sysctls(host, placement, memory, linux_cp, ledger),
        explanations=ledger.explanations,
    )


def _linux_cp(section: DataplaneSection, ledger: Ledger) -> LinuxCp:
    required = section.linux_cp
    ledger.given("linux-cp.netns", required.netns or "(VPP's own)", "the namespace of LCPs that name none")
    ledger.given("linux-cp.sync", required.is_sync, "MTU and state of an interface follow into Linux")
    ledger.given("linux-cp.auto-subint", required.is_auto_subint, "VPP makes no LCPs that the file does not name")
    ledger.given("linux-cp.netlink-buffer", ledger.size(required.netlink_buffer_bytes), "bursts of routes fit into it")
    return LinuxCp(
        netns=required.netns,
        is_sync=required.is_sync,
        is_auto_subint=required.is_auto_subint,
        netlink_buffer_bytes=required.netlink_buffer_bytes,
    )


def _explain_unix(section: DataplaneSection, ledger: Ledger) -> None:
    ledger.given("dpdk.tx-checksum-offload", section.dpdk.has_tx_checksum_offload, "as VPP has it")
    ledger.given("unix.gid", section.unix.gid, "members of this group may use VPP's sockets")
    if section.unix.exec_file:
        ledger.add("unix.exec", section.unix.exec_file, ValueOrigin.FILE, "commands that VPP runs when it starts")
    if section.unix.poll_sleep_us:
        ledger.add(
            "unix.poll-sleep-usec", section.unix.poll_sleep_us, ValueOrigin.FILE, "the main thread rests that long"
        )


def _choose_plugins(
    configuration: Configuration, section: DataplaneSection, release: Release, has_devices: bool, ledger: Ledger
) -> tuple[str, ...]:
    """Return the names of the plugins, without _plugin.so."""
    if section.plugins is not None:
        ledger.add("plugins", ", ".join(section.plugins) or "none", ValueOrigin.FILE, "the file lists them")
        return section.plugins
    reasons = {need.plugin: need.reason for need, _ in needed_plugins(configuration, release)}
    if has_devices:
        reasons["dpdk"] = "there are devices"
    text = "; ".join(f"{name}: {reasons[name]}" for name in sorted(reasons)) or "the file needs none"
    ledger.add("plugins", ", ".join(sorted(reasons)) or "none", ValueOrigin.FORMULA, text)
    return tuple(sorted(reasons))


def _choose_multi_seg(configuration: Configuration, section: DataplaneSection, ledger: Ledger) -> bool:
    """Return whether a packet may span buffers: where the file leaves it open, when the largest MTU needs it."""
    if section.dpdk.is_multi_seg is not None:
        ledger.add("dpdk.multi-seg", section.dpdk.is_multi_seg, ValueOrigin.FILE, "set in the file")
        return section.dpdk.is_multi_seg
    largest = max((port.mtu for port in configuration.interfaces.values() if port.parent is None), default=1500)
    frame, room = largest + FRAME_OVERHEAD_BYTES, section.buffers.data_size
    reason = f"the largest MTU is {largest}, {frame} bytes as a frame; a buffer holds {room}"
    ledger.add("dpdk.multi-seg", frame > room, ValueOrigin.FORMULA, reason)
    return frame > room
