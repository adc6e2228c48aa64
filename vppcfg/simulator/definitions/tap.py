"""plugins/tap/tapv2.api (vnet/devices/tap before 26.02): TAPs."""

TEXT = """
version 23.06- 4.0.0 c2f80dc7
import interface_index
import mac_address
import prefix
alias ip4_address_with_prefix ip4_prefix
alias ip6_address_with_prefix ip6_prefix
struct ip4_prefix: ip4_address address, u8 len
struct ip6_prefix: ip6_address address, u8 len
enum tap_flags u32 TAP_API_FLAG_GSO=1 TAP_API_FLAG_CSUM_OFFLOAD=2 TAP_API_FLAG_PERSIST=4 TAP_API_FLAG_ATTACH=8 \
TAP_API_FLAG_TUN=16 TAP_API_FLAG_GRO_COALESCE=32 TAP_API_FLAG_PACKED=64 TAP_API_FLAG_IN_ORDER=128 \
TAP_API_FLAG_CONSISTENT_QP=256
request tap_create_v2 2d0d6570: u32 id=4294967295, bool use_random_mac=true, mac_address mac_address, u8 \
num_rx_queues=1, u16 tx_ring_sz=256, u16 rx_ring_sz=256, bool host_mtu_set, u32 host_mtu_size, bool host_mac_addr_set, \
mac_address host_mac_addr, bool host_ip4_prefix_set, ip4_address_with_prefix host_ip4_prefix, bool \
host_ip6_prefix_set, ip6_address_with_prefix host_ip6_prefix, bool host_ip4_gw_set, ip4_address host_ip4_gw, bool \
host_ip6_gw_set, ip6_address host_ip6_gw, tap_flags tap_flags, bool host_namespace_set, string host_namespace[64], \
bool host_if_name_set, string host_if_name[64], bool host_bridge_set, string host_bridge[64], string tag[]
reply tap_create_v2_reply 5383d31f: i32 retval, interface_index sw_if_index
request tap_create_v3 3f3fd1df: u32 id=4294967295, bool use_random_mac=true, mac_address mac_address, u16 \
num_rx_queues=1, u16 num_tx_queues=1, u16 tx_ring_sz=256, u16 rx_ring_sz=256, bool host_mtu_set, u32 host_mtu_size, \
bool host_mac_addr_set, mac_address host_mac_addr, bool host_ip4_prefix_set, ip4_address_with_prefix host_ip4_prefix, \
bool host_ip6_prefix_set, ip6_address_with_prefix host_ip6_prefix, bool host_ip4_gw_set, ip4_address host_ip4_gw, bool \
host_ip6_gw_set, ip6_address host_ip6_gw, tap_flags tap_flags, bool host_namespace_set, string host_namespace[64], \
bool host_if_name_set, string host_if_name[64], bool host_bridge_set, string host_bridge[64], string tag[]
reply tap_create_v3_reply 5383d31f: i32 retval, interface_index sw_if_index
request tap_delete_v2 f9e6675e: interface_index sw_if_index
reply tap_delete_v2_reply e8d4e804: i32 retval
request sw_interface_tap_v2_dump f9e6675e streams sw_interface_tap_v2_details: interface_index sw_if_index=4294967295
reply sw_interface_tap_v2_details 1e2b2a47: u32 sw_if_index, u32 id, u16 tx_ring_sz, u16 rx_ring_sz, u32 \
host_mtu_size, mac_address host_mac_addr, ip4_address_with_prefix host_ip4_prefix, ip6_address_with_prefix \
host_ip6_prefix, tap_flags tap_flags, string dev_name[64], string host_if_name[64], string host_namespace[64], string \
host_bridge[64]
"""
