"""The plugins of upstream VPP, by the name in their files, and whether they are loaded by default.

From `add_vpp_plugin` in plugins/*/CMakeLists.txt and `default_disabled` in their sources, at the tags of the releases.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.common.release import Release

SUFFIX = "_plugin.so"

_IN_ALL = (
    "abf acl adl af_packet af_xdp arping bufmon cdp cnat crypto_sw_scheduler ct6 det44 dhcp dispatch_trace "
    "dma_intel dns dpdk dslite flowprobe geneve gre gtpu handoffdemo hs_apps hsi http http_static igmp ikev2 "
    "ila ioam ip_session_redirect l2tp l3xc lacp lb linux_cp linux_cp_unittest linux_nl lisp lisp_unittest "
    "lldp mactime map mdata memif mss_clamp nat nat44_ei nat64 nat66 nsh nsim oddbuf perfmon ping pnat pppoe "
    "prom quic rdma sample snort srtp srv6ad srv6adflow srv6am srv6as srv6mobile stn svs tlsmbedtls tlsopenssl "
    "tlspicotls tracedump unittest urpf vhost vmxnet3 vrrp vxlan wireguard "
)
_IN_SOME: Mapping[str, tuple[Release | None, Release | None]] = {
    "auto_sdl": (Release(25, 2), None),
    "auto_sdl_unittest": (Release(25, 2), None),
    "avf": (None, Release(26, 2)),
    "bpf_trace_filter": (Release(23, 10), None),
    "builtinurl": (None, Release(24, 10)),
    "crypto_ipsecmb": (None, Release(25, 2)),
    "crypto_native": (None, Release(25, 2)),
    "crypto_openssl": (None, Release(25, 2)),
    "dev_armada": (Release(24, 10), Release(26, 2)),
    "dev_ena": (Release(24, 2), Release(26, 2)),
    "dev_iavf": (Release(24, 2), Release(26, 2)),
    "dev_octeon": (Release(24, 2), Release(26, 6)),
    "fateshare": (Release(23, 10), None),
    "http_unittest": (Release(25, 2), None),
    "idpf": (Release(23, 10), None),
    "ip6_dad_autoremove": (Release(26, 6), None),
    "ipip": (Release(26, 10), None),
    "marvell": (None, Release(24, 10)),
    "netmap": (Release(24, 6), None),
    "npol": (Release(26, 2), None),
    "npt66": (Release(23, 10), None),
    "osi": (Release(24, 10), None),
    "policer": (Release(26, 6), None),
    "ppp": (Release(25, 2), None),
    "pvti": (Release(24, 10), None),
    "quic_quicly": (Release(25, 6), None),
    "sasc": (Release(26, 2), None),
    "selog": (Release(26, 2), None),
    "sfdp_services": (Release(26, 2), None),
    "sfdp_services_sample": (Release(26, 10), None),
    "sflow": (Release(25, 2), None),
    "soft_rss": (Release(26, 2), None),
    "srmpls": (Release(24, 6), None),
    "tap": (Release(26, 2), None),
    "tracenode": (Release(23, 10), None),
    "tracepath": (Release(26, 6), None),
    "udp_echo": (Release(26, 6), None),
    "vperf": (Release(26, 10), None),
}
PLUGINS: Mapping[str, tuple[Release | None, Release | None]] = {
    **dict.fromkeys(_IN_ALL.split(), (None, None)),
    **_IN_SOME,
}
"""The first release that has a plugin, and the first one that has it no more; None where it is in all from 23.06 on."""
_OFF = frozenset({"fateshare", "http_unittest", "idpf", "linux_cp", "linux_cp_unittest", "linux_nl", "lisp_unittest"})
_ALSO_OFF = frozenset(
    {"auto_sdl_unittest", "ip6_dad_autoremove", "npt66", "oddbuf", "sfdp_services_sample", "srtp", "unittest"}
)
_QUIC_ON = Release(25, 6)


def name_in(file_name: str) -> str:
    """Return the name of a plugin without what its file's name has besides."""
    return file_name.removesuffix(SUFFIX).removesuffix(".so")


def is_in(plugin: str, release: Release) -> bool:
    """Return whether upstream VPP of a release has a plugin; its package may be another one (vpp-plugin-dpdk)."""
    since, until = PLUGINS.get(plugin, (release, release))
    return (since is None or release >= since) and (until is None or release < until)


def is_off_by_default(plugin: str, release: Release) -> bool:
    """Return whether a release loads a plugin only when a file enables it."""
    return plugin in _OFF | _ALSO_OFF or (plugin == "quic" and release < _QUIC_ON)
