"""vnet/l2/l2.api: cross-connects, VLAN tag rewrites, bridge domains and their members."""

TEXT = """
version 23.06-24.10 3.2.0 2720d298
version 26.06- 3.3.0 1a53d6cc
import interface_index
request l2_xconnect_dump 51077d14 streams l2_xconnect_details
reply l2_xconnect_details 472b6b67: interface_index rx_sw_if_index, interface_index tx_sw_if_index
request sw_interface_set_l2_xconnect 4fa28a85: interface_index rx_sw_if_index, interface_index tx_sw_if_index, \
bool enable=true
reply sw_interface_set_l2_xconnect_reply e8d4e804: i32 retval
request l2_interface_vlan_tag_rewrite 62cc0bbc: interface_index sw_if_index, u32 vtr_op, u32 push_dot1q, u32 tag1, \
u32 tag2
reply l2_interface_vlan_tag_rewrite_reply e8d4e804: i32 retval
enum l2_port_type u32 L2_API_PORT_TYPE_NORMAL=0 L2_API_PORT_TYPE_BVI=1 L2_API_PORT_TYPE_UU_FWD=2
enum bd_flags u32 BRIDGE_API_FLAG_NONE=0 BRIDGE_API_FLAG_LEARN=1 BRIDGE_API_FLAG_FWD=2 BRIDGE_API_FLAG_FLOOD=4 \
BRIDGE_API_FLAG_UU_FLOOD=8 BRIDGE_API_FLAG_ARP_TERM=16 BRIDGE_API_FLAG_ARP_UFWD=32
struct bridge_domain_sw_if: u32 context, interface_index sw_if_index, u8 shg
request bridge_domain_dump 74396a43 streams bridge_domain_details: u32 bd_id=4294967295, interface_index \
sw_if_index=4294967295
reply bridge_domain_details 0fa506fd: u32 bd_id, bool flood, bool uu_flood, bool forward, bool learn, bool arp_term, \
bool arp_ufwd, u8 mac_age, string bd_tag[64], interface_index bvi_sw_if_index, interface_index uu_fwd_sw_if_index, u32 \
n_sw_ifs, bridge_domain_sw_if sw_if_details[n_sw_ifs]
request bridge_domain_add_del 600b7170: u32 bd_id, bool flood, bool uu_flood, bool forward, bool learn, bool arp_term, \
bool arp_ufwd, u8 mac_age, string bd_tag[64], bool is_add=true
reply bridge_domain_add_del_reply e8d4e804: i32 retval
request bridge_domain_add_del_v2 600b7170: u32 bd_id, bool flood, bool uu_flood, bool forward, bool learn, bool \
arp_term, bool arp_ufwd, u8 mac_age, string bd_tag[64], bool is_add=true
reply bridge_domain_add_del_v2_reply fcb1e980: i32 retval, u32 bd_id
request bridge_domain_set_mac_age b537ad7b: u32 bd_id, u8 mac_age
reply bridge_domain_set_mac_age_reply e8d4e804: i32 retval
request bridge_flags 1b0c5fbd: u32 bd_id, bool is_set, bd_flags flags
reply bridge_flags_reply 29b2a2b3: i32 retval, u32 resulting_feature_bitmap
request sw_interface_set_l2_bridge d0678b13: interface_index rx_sw_if_index, u32 bd_id, l2_port_type port_type, u8 \
shg, bool enable=true
reply sw_interface_set_l2_bridge_reply e8d4e804: i32 retval
"""
