"""plugins/linux-cp/lcp.api: pairs of a VPP interface and a Linux network device."""

TEXT = """
version 23.06 1.0.0 064780a3
version 24.10 1.0.0 9ae8ba3b
version 26.06- 1.0.0 68b5c2b5
import interface_index
enum lcp_itf_host_type u8 LCP_API_ITF_HOST_TAP=0 LCP_API_ITF_HOST_TUN=1
request lcp_default_ns_set 69749409: string netns[32]
reply lcp_default_ns_set_reply e8d4e804: i32 retval
request lcp_default_ns_get 51077d14
reply lcp_default_ns_get_reply 5102feee: string netns[32]
request lcp_itf_pair_add_del 40482b80: bool is_add, interface_index sw_if_index, string host_if_name[16], \
lcp_itf_host_type host_if_type, string netns[32]
reply lcp_itf_pair_add_del_reply e8d4e804: i32 retval
request lcp_itf_pair_add_del_v2 40482b80: bool is_add, interface_index sw_if_index, string host_if_name[16], \
lcp_itf_host_type host_if_type, string netns[32]
reply lcp_itf_pair_add_del_v2_reply 39452f52: i32 retval, interface_index host_sw_if_index
request lcp_itf_pair_add_del_v3 40482b80 24.10-: bool is_add, interface_index sw_if_index, \
string host_if_name[16], lcp_itf_host_type host_if_type, string netns[32]
reply lcp_itf_pair_add_del_v3_reply c2502663 24.10-: i32 retval, u32 vif_index, interface_index host_sw_if_index
request lcp_itf_pair_get f75ba505 streams lcp_itf_pair_details then lcp_itf_pair_get_reply: u32 cursor
reply lcp_itf_pair_get_reply 53b48f5d: i32 retval, u32 cursor
request lcp_itf_pair_get_v2 47250981 24.10- streams lcp_itf_pair_details then lcp_itf_pair_get_v2_reply: \
u32 cursor, interface_index sw_if_index
reply lcp_itf_pair_get_v2_reply 53b48f5d 24.10-: i32 retval, u32 cursor
reply lcp_itf_pair_details 8b5481af: interface_index phy_sw_if_index, interface_index host_sw_if_index, u32 vif_index, \
string host_if_name[16], lcp_itf_host_type host_if_type, string netns[32]
"""
