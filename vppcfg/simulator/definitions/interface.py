"""vnet/interface.api: interfaces and sub-interfaces, their state, MTUs, tags and addresses."""

TEXT = """
version 23.06 3.2.3 49616418
version 24.10 3.2.3 14dfbf43
version 26.06 3.2.4 cf7004cc
version 26.10- 3.2.5 98d849f6
import interface_index
import mac_address
import prefix
enum if_status_flags u32 IF_STATUS_API_FLAG_ADMIN_UP=1 IF_STATUS_API_FLAG_LINK_UP=2
enum if_type u32 IF_API_TYPE_HARDWARE=0 IF_API_TYPE_SUB=1 IF_API_TYPE_P2P=2 IF_API_TYPE_PIPE=3
enum link_duplex u32 LINK_DUPLEX_API_UNKNOWN=0 LINK_DUPLEX_API_HALF=1 LINK_DUPLEX_API_FULL=2
enum sub_if_flags u32 SUB_IF_API_FLAG_NO_TAGS=1 SUB_IF_API_FLAG_ONE_TAG=2 SUB_IF_API_FLAG_TWO_TAGS=4 \
SUB_IF_API_FLAG_DOT1AD=8 SUB_IF_API_FLAG_EXACT_MATCH=16 SUB_IF_API_FLAG_DEFAULT=32 \
SUB_IF_API_FLAG_OUTER_VLAN_ID_ANY=64 SUB_IF_API_FLAG_INNER_VLAN_ID_ANY=128 SUB_IF_API_FLAG_MASK_VNET=254 \
SUB_IF_API_FLAG_DOT1AH=256
request want_interface_events 476f5a08: u32 enable_disable, u32 pid
reply want_interface_events_reply e8d4e804: i32 retval
bare sw_interface_event 2d3d95a7: u32 client_index, u32 pid, interface_index sw_if_index, if_status_flags flags, \
bool deleted
request sw_interface_dump aa610c27 streams sw_interface_details: interface_index sw_if_index=4294967295, \
bool name_filter_valid, string name_filter[]
reply sw_interface_details 6c221fc7: interface_index sw_if_index, u32 sup_sw_if_index, mac_address l2_address, \
if_status_flags flags, if_type type, link_duplex link_duplex, u32 link_speed, u16 link_mtu, u32 mtu[4], u32 sub_id, \
u8 sub_number_of_tags, u16 sub_outer_vlan_id, u16 sub_inner_vlan_id, sub_if_flags sub_if_flags, u32 vtr_op, \
u32 vtr_push_dot1q, u32 vtr_tag1, u32 vtr_tag2, u16 outer_tag, mac_address b_dmac, mac_address b_smac, u16 b_vlanid, \
u32 i_sid, string interface_name[64], string interface_dev_type[64], string tag[64]
request sw_interface_set_flags f5aec1b8: interface_index sw_if_index, if_status_flags flags
reply sw_interface_set_flags_reply e8d4e804: i32 retval
request sw_interface_set_mtu 5cbe85e5: interface_index sw_if_index, u32 mtu[4]
reply sw_interface_set_mtu_reply e8d4e804: i32 retval
request hw_interface_set_mtu e6746899: interface_index sw_if_index, u16 mtu
reply hw_interface_set_mtu_reply e8d4e804: i32 retval
request sw_interface_tag_add_del 426f8bc1: bool is_add, interface_index sw_if_index, string tag[64]
reply sw_interface_tag_add_del_reply e8d4e804: i32 retval
request sw_interface_set_mac_address c536e7eb: interface_index sw_if_index, mac_address mac_address
reply sw_interface_set_mac_address_reply e8d4e804: i32 retval
request sw_interface_get_mac_address f9e6675e: interface_index sw_if_index
reply sw_interface_get_mac_address_reply 40ef2c08: i32 retval, mac_address mac_address
"""
