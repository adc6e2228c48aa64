"""plugins/acl/acl.api: access lists and the interfaces that apply them."""

TEXT = """
version 23.06- 2.0.1 5133bba0
import interface_index
import mac_address
import prefix
enum acl_action u8 ACL_ACTION_API_DENY=0 ACL_ACTION_API_PERMIT=1 ACL_ACTION_API_PERMIT_REFLECT=2
enum ip_proto u8 IP_API_PROTO_HOPOPT=0 IP_API_PROTO_ICMP=1 IP_API_PROTO_IGMP=2 IP_API_PROTO_TCP=6 IP_API_PROTO_UDP=17 \
IP_API_PROTO_GRE=47 IP_API_PROTO_ESP=50 IP_API_PROTO_AH=51 IP_API_PROTO_ICMP6=58 IP_API_PROTO_EIGRP=88 \
IP_API_PROTO_OSPF=89 IP_API_PROTO_SCTP=132 IP_API_PROTO_RESERVED=255
struct acl_rule: acl_action is_permit, prefix src_prefix, prefix dst_prefix, ip_proto proto, u16 \
srcport_or_icmptype_first, u16 srcport_or_icmptype_last, u16 dstport_or_icmpcode_first, u16 dstport_or_icmpcode_last, \
u8 tcp_flags_mask, u8 tcp_flags_value
struct macip_acl_rule: acl_action is_permit, mac_address src_mac, mac_address src_mac_mask, prefix src_prefix
request acl_plugin_get_version 51077d14
reply acl_plugin_get_version_reply 9b32cf86: u32 major, u32 minor
request acl_add_replace ee5c2f18: u32 acl_index, string tag[64], u32 count, acl_rule r[count]
reply acl_add_replace_reply ac407b0c: u32 acl_index, i32 retval
request acl_del ef34fea4: u32 acl_index
reply acl_del_reply e8d4e804: i32 retval
request acl_interface_add_del 4b54bebd: bool is_add=true, bool is_input, interface_index sw_if_index, u32 acl_index
reply acl_interface_add_del_reply e8d4e804: i32 retval
request acl_interface_set_acl_list 473982bd: interface_index sw_if_index, u8 count, u8 n_input, u32 acls[count]
reply acl_interface_set_acl_list_reply e8d4e804: i32 retval
request acl_dump ef34fea4 streams acl_details: u32 acl_index
reply acl_details 95babae0: u32 acl_index, string tag[64], u32 count, acl_rule r[count]
request acl_interface_list_dump f9e6675e streams acl_interface_list_details: interface_index sw_if_index=4294967295
reply acl_interface_list_details e695d256: interface_index sw_if_index, u8 count, u8 n_input, u32 acls[count]
request macip_acl_dump ef34fea4 streams macip_acl_details: u32 acl_index=4294967295
reply macip_acl_details 27135b59: u32 acl_index, string tag[64], u32 count, macip_acl_rule r[count]
"""
