"""vnet/l2/l2.api: cross-connects and VLAN tag rewrites."""

TEXT = """
version 23.06 3.2.0 2720d298
version 24.10 3.2.0 2720d298
version 26.06 3.3.0 1a53d6cc
version 26.10 3.3.0 1a53d6cc
request l2_xconnect_dump 51077d14 streams l2_xconnect_details
reply l2_xconnect_details 472b6b67: interface_index rx_sw_if_index, interface_index tx_sw_if_index
request sw_interface_set_l2_xconnect 4fa28a85: interface_index rx_sw_if_index, interface_index tx_sw_if_index, \
bool enable=true
reply sw_interface_set_l2_xconnect_reply e8d4e804: i32 retval
request l2_interface_vlan_tag_rewrite 62cc0bbc: interface_index sw_if_index, u32 vtr_op, u32 push_dot1q, u32 tag1, \
u32 tag2
reply l2_interface_vlan_tag_rewrite_reply e8d4e804: i32 retval
"""
