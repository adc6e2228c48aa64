"""plugins/vxlan/vxlan.api: VXLAN tunnels."""

TEXT = """
version 23.06- 2.1.0 95381587
import interface_index
import prefix
request vxlan_add_del_tunnel 0c09dc80: bool is_add=true, u32 instance, address src_address, address dst_address, \
interface_index mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, u32 vni
reply vxlan_add_del_tunnel_reply 5383d31f: i32 retval, interface_index sw_if_index
request vxlan_add_del_tunnel_v2 4f223f40: bool is_add=true, u32 instance=4294967295, address src_address, address \
dst_address, u16 src_port, u16 dst_port, interface_index mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, \
u32 vni
reply vxlan_add_del_tunnel_v2_reply 5383d31f: i32 retval, interface_index sw_if_index
request vxlan_add_del_tunnel_v3 0072b037: bool is_add=true, u32 instance=4294967295, address src_address, address \
dst_address, u16 src_port, u16 dst_port, interface_index mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, \
u32 vni, bool is_l3
reply vxlan_add_del_tunnel_v3_reply 5383d31f: i32 retval, interface_index sw_if_index
request vxlan_tunnel_dump f9e6675e streams vxlan_tunnel_details: interface_index sw_if_index
reply vxlan_tunnel_details c3916cb1: interface_index sw_if_index, u32 instance, address src_address, address \
dst_address, interface_index mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, u32 vni
request vxlan_tunnel_v2_dump f9e6675e streams vxlan_tunnel_v2_details: interface_index sw_if_index
reply vxlan_tunnel_v2_details d3bdd4d9: interface_index sw_if_index, u32 instance, address src_address, address \
dst_address, u16 src_port, u16 dst_port, interface_index mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, \
u32 vni
"""
