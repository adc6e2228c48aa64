"""What the stub VPP speaks besides the simulator's definitions, by plugin; checksums do not matter between the two."""

from __future__ import annotations

CORE = """
version 26.10 1.0.0 1
enum if_flags u32 ADMIN_UP=1
struct ip_table: u32 table_id, bool is_ip6, string name[64]
struct bridge_domain_sw_if: u32 context, u32 sw_if_index, u8 shg
struct mpls_table: u32 mt_table_id, string mt_name[64]
request ip_table_dump 1 streams ip_table_details
reply ip_table_details 1: ip_table table
request ip_unnumbered_dump 1 streams ip_unnumbered_details: u32 sw_if_index
reply ip_unnumbered_details 1: u32 sw_if_index, u32 ip_sw_if_index
request sw_interface_set_unnumbered 1: u32 sw_if_index, u32 unnumbered_sw_if_index, bool is_add
reply sw_interface_set_unnumbered_reply 1: i32 retval
request sw_interface_set_mac_address 1: u32 sw_if_index, mac_address mac_address
reply sw_interface_set_mac_address_reply 1: i32 retval
request create_loopback_instance 1: mac_address mac_address, bool is_specified, u32 user_instance
reply create_loopback_instance_reply 1: i32 retval, u32 sw_if_index
request delete_loopback 1: u32 sw_if_index
reply delete_loopback_reply 1: i32 retval
request bridge_domain_dump 1 streams bridge_domain_details: u32 bd_id, u32 sw_if_index
reply bridge_domain_details 1: u32 bd_id, bool flood, bool uu_flood, bool forward, bool learn, bool arp_term, \
bool arp_ufwd, u8 mac_age, string bd_tag[64], u32 bvi_sw_if_index, u32 uu_fwd_sw_if_index, u32 n_sw_ifs, \
bridge_domain_sw_if sw_if_details[n_sw_ifs]
request bridge_domain_add_del 1: u32 bd_id, bool flood, bool uu_flood, bool forward, bool learn, bool arp_term, \
bool arp_ufwd, u8 mac_age, string bd_tag[64], bool is_add
reply bridge_domain_add_del_reply 1: i32 retval
request bridge_domain_add_del_v2 1: u32 bd_id, bool flood, bool uu_flood, bool forward, bool learn, bool arp_term, \
bool arp_ufwd, u8 mac_age, string bd_tag[64], bool is_add
reply bridge_domain_add_del_v2_reply 1: i32 retval, u32 bd_id
request bridge_flags 1: u32 bd_id, bool is_set, u32 flags
reply bridge_flags_reply 1: i32 retval, u32 resulting_feature_bitmap
request bridge_domain_set_mac_age 1: u32 bd_id, u8 mac_age
reply bridge_domain_set_mac_age_reply 1: i32 retval
request sw_interface_set_l2_bridge 1: u32 rx_sw_if_index, u32 bd_id, u32 port_type, u8 shg, bool enable
reply sw_interface_set_l2_bridge_reply 1: i32 retval
request bond_create2 1: u32 mode, u32 lb, bool numa_only, bool enable_gso, bool use_custom_mac, \
mac_address mac_address, u32 id
reply bond_create2_reply 1: i32 retval, u32 sw_if_index
request bond_delete 1: u32 sw_if_index
reply bond_delete_reply 1: i32 retval
request bond_add_member 1: u32 sw_if_index, u32 bond_sw_if_index, bool is_passive, bool is_long_timeout
reply bond_add_member_reply 1: i32 retval
request bond_detach_member 1: u32 sw_if_index
reply bond_detach_member_reply 1: i32 retval
request sw_interface_set_bond_weight 1: u32 sw_if_index, u32 weight
reply sw_interface_set_bond_weight_reply 1: i32 retval
request sw_bond_interface_dump 1 streams sw_bond_interface_details: u32 sw_if_index
reply sw_bond_interface_details 1: u32 sw_if_index, u32 id, u32 mode, u32 lb, bool numa_only, u32 active_members, \
u32 members, string interface_name[64]
request sw_member_interface_dump 1 streams sw_member_interface_details: u32 sw_if_index
reply sw_member_interface_details 1: u32 sw_if_index, string interface_name[64], bool is_passive, \
bool is_long_timeout, bool is_local_numa, u32 weight
request mpls_table_add_del 1: bool mt_is_add, mpls_table mt_table
reply mpls_table_add_del_reply 1: i32 retval
request mpls_table_dump 1 streams mpls_table_details
reply mpls_table_details 1: mpls_table mt_table
request mpls_interface_dump 1 streams mpls_interface_details: u32 sw_if_index
reply mpls_interface_details 1: u32 sw_if_index
request feature_enable_disable 1: u32 sw_if_index, bool enable, string arc_name[64], string feature_name[64]
reply feature_enable_disable_reply 1: i32 retval
request sw_interface_set_mpls_enable 1: u32 sw_if_index, bool enable
reply sw_interface_set_mpls_enable_reply 1: i32 retval
"""

ACL = """
version 26.10 1.0.0 1
struct acl_rule: u8 is_permit, prefix src_prefix, prefix dst_prefix, u8 proto, u16 srcport_or_icmptype_first, \
u16 srcport_or_icmptype_last, u16 dstport_or_icmpcode_first, u16 dstport_or_icmpcode_last, u8 tcp_flags_mask, \
u8 tcp_flags_value
struct macip_acl_rule: u8 is_permit, u8 src_mac[6], u8 src_mac_mask[6], prefix src_prefix
request macip_acl_add_replace 1: u32 acl_index, string tag[64], u32 count, macip_acl_rule r[count]
reply macip_acl_add_replace_reply 1: u32 acl_index, i32 retval
request macip_acl_del 1: u32 acl_index
reply macip_acl_del_reply 1: i32 retval
request macip_acl_interface_add_del 1: bool is_add, u32 sw_if_index, u32 acl_index
reply macip_acl_interface_add_del_reply 1: i32 retval
request macip_acl_dump 1 streams macip_acl_details: u32 acl_index
reply macip_acl_details 1: u32 acl_index, string tag[64], u32 count, macip_acl_rule r[count]
request macip_acl_interface_list_dump 1 streams macip_acl_interface_list_details: u32 sw_if_index
reply macip_acl_interface_list_details 1: u32 sw_if_index, u8 count, u32 acls[count]
request acl_add_replace 1: u32 acl_index, string tag[64], u32 count, acl_rule r[count]
reply acl_add_replace_reply 1: u32 acl_index, i32 retval
request acl_del 1: u32 acl_index
reply acl_del_reply 1: i32 retval
request acl_dump 1 streams acl_details: u32 acl_index
reply acl_details 1: u32 acl_index, string tag[64], u32 count, acl_rule r[count]
request acl_interface_set_acl_list 1: u32 sw_if_index, u8 count, u8 n_input, u32 acls[count]
reply acl_interface_set_acl_list_reply 1: i32 retval
request acl_interface_list_dump 1 streams acl_interface_list_details: u32 sw_if_index
reply acl_interface_list_details 1: u32 sw_if_index, u8 count, u8 n_input, u32 acls[count]
"""

LACP = """
version 26.10 1.0.0 1
request sw_interface_lacp_dump 1
"""

SFLOW = """
version 26.10 1.0.0 1
request sflow_enable_disable 1: bool enable_disable, u32 hw_if_index
reply sflow_enable_disable_reply 1: i32 retval
request sflow_sampling_rate_set 1: u32 sampling_N
reply sflow_sampling_rate_set_reply 1: i32 retval
request sflow_sampling_rate_get 1
reply sflow_sampling_rate_get_reply 1: u32 sampling_N
request sflow_polling_interval_set 1: u32 polling_S
reply sflow_polling_interval_set_reply 1: i32 retval
request sflow_polling_interval_get 1
reply sflow_polling_interval_get_reply 1: u32 polling_S
request sflow_header_bytes_set 1: u32 header_B
reply sflow_header_bytes_set_reply 1: i32 retval
request sflow_header_bytes_get 1
reply sflow_header_bytes_get_reply 1: u32 header_B
"""

TAP = """
version 26.10 1.0.0 1
request tap_create_v2 1: u32 id, bool use_random_mac, mac_address mac_address, u8 num_rx_queues, u16 tx_ring_sz, \
u16 rx_ring_sz, bool host_mtu_set, u32 host_mtu_size, bool host_mac_addr_set, mac_address host_mac_addr, \
u32 tap_flags, bool host_namespace_set, string host_namespace[64], bool host_if_name_set, string host_if_name[64], \
bool host_bridge_set, string host_bridge[64], string tag[]
reply tap_create_v2_reply 1: i32 retval, u32 sw_if_index
request tap_create_v3 1: u32 id, bool use_random_mac, mac_address mac_address, u16 num_rx_queues, \
u16 num_tx_queues, u16 tx_ring_sz, u16 rx_ring_sz, bool host_mtu_set, u32 host_mtu_size, bool host_mac_addr_set, \
mac_address host_mac_addr, u32 tap_flags, bool host_namespace_set, string host_namespace[64], \
bool host_if_name_set, string host_if_name[64], bool host_bridge_set, string host_bridge[64], string tag[]
reply tap_create_v3_reply 1: i32 retval, u32 sw_if_index
request tap_delete_v2 1: u32 sw_if_index
reply tap_delete_v2_reply 1: i32 retval
request sw_interface_tap_v2_dump 1 streams sw_interface_tap_v2_details: u32 sw_if_index
reply sw_interface_tap_v2_details 1: u32 sw_if_index, u32 id, u16 tx_ring_sz, u16 rx_ring_sz, u32 host_mtu_size, \
mac_address host_mac_addr, u32 tap_flags, string dev_name[64], string host_if_name[64], string host_namespace[64], \
string host_bridge[64]
"""

VXLAN = """
version 26.10 1.0.0 1
request vxlan_add_del_tunnel 1: bool is_add, u32 instance, address src_address, address dst_address, \
u32 mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, u32 vni
reply vxlan_add_del_tunnel_reply 1: i32 retval, u32 sw_if_index
request vxlan_add_del_tunnel_v3 1: bool is_add, u32 instance, address src_address, address dst_address, \
u16 src_port, u16 dst_port, u32 mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, u32 vni, bool is_l3
reply vxlan_add_del_tunnel_v3_reply 1: i32 retval, u32 sw_if_index
request vxlan_tunnel_v2_dump 1 streams vxlan_tunnel_v2_details: u32 sw_if_index
reply vxlan_tunnel_v2_details 1: u32 sw_if_index, u32 instance, address src_address, address dst_address, \
u16 src_port, u16 dst_port, u32 mcast_sw_if_index, u32 encap_vrf_id, u32 decap_next_index, u32 vni
"""

_GRE_TUNNEL = "u8 type, u8 mode, u8 flags, u16 session_id, u32 instance, u32 outer_table_id, u32 sw_if_index, \
address src, address dst"

GRE = f"""
version 26.10 1.0.0 1
struct gre_tunnel: {_GRE_TUNNEL}
struct gre_tunnel_v2: {_GRE_TUNNEL}, u32 key
request gre_tunnel_add_del 1: bool is_add, gre_tunnel tunnel
reply gre_tunnel_add_del_reply 1: i32 retval, u32 sw_if_index
request gre_tunnel_add_del_v2 1: bool is_add, gre_tunnel_v2 tunnel
reply gre_tunnel_add_del_v2_reply 1: i32 retval, u32 sw_if_index
request gre_tunnel_dump 1 streams gre_tunnel_details: u32 sw_if_index
reply gre_tunnel_details 1: gre_tunnel tunnel
request gre_tunnel_dump_v2 1: u32 sw_if_index
reply gre_tunnel_details_v2 1: gre_tunnel_v2 tunnel
request gre_tunnel_v2_dump 1 streams gre_tunnel_v2_details: u32 sw_if_index
reply gre_tunnel_v2_details 1: gre_tunnel_v2 tunnel
"""

IPIP = """
version 26.10 1.0.0 1
struct ipip_tunnel: u32 instance, address src, address dst, u32 sw_if_index, u32 table_id, u8 flags, u8 mode, u8 dscp
request ipip_add_tunnel 1: ipip_tunnel tunnel
reply ipip_add_tunnel_reply 1: i32 retval, u32 sw_if_index
request ipip_del_tunnel 1: u32 sw_if_index
reply ipip_del_tunnel_reply 1: i32 retval
request ipip_tunnel_dump 1 streams ipip_tunnel_details: u32 sw_if_index
reply ipip_tunnel_details 1: ipip_tunnel tunnel
"""

AF_PACKET = """
version 26.10 2.0.0 1
request af_packet_create_v3 1: u32 mode, mac_address hw_addr, bool use_random_hw_addr, string host_if_name[64], \
u32 rx_frame_size, u32 tx_frame_size, u32 rx_frames_per_block, u32 tx_frames_per_block, u32 flags, u16 num_rx_queues, \
u16 num_tx_queues
reply af_packet_create_v3_reply 1: i32 retval, u32 sw_if_index
request af_packet_delete 1: string host_if_name[64]
reply af_packet_delete_reply 1: i32 retval
request af_packet_dump 1 streams af_packet_details
reply af_packet_details 1: u32 sw_if_index, string host_if_name[64]
"""

MEMIF = """
version 26.10 3.1.0 1
request memif_socket_filename_add_del 1: bool is_add, u32 socket_id, string socket_filename[108]
reply memif_socket_filename_add_del_reply 1: i32 retval
request memif_create_v2 1: u32 role, u32 mode, u8 rx_queues, u8 tx_queues, u32 id, u32 socket_id, u32 ring_size, \
u16 buffer_size, bool no_zero_copy, bool use_dma, mac_address hw_addr, string secret[24]
reply memif_create_v2_reply 1: i32 retval, u32 sw_if_index
request memif_delete 1: u32 sw_if_index
reply memif_delete_reply 1: i32 retval
request memif_socket_filename_dump 1 streams memif_socket_filename_details
reply memif_socket_filename_details 1: u32 socket_id, string socket_filename[108]
request memif_dump 1 streams memif_details
reply memif_details 1: u32 sw_if_index, mac_address hw_addr, u32 id, u32 role, u32 mode, bool zero_copy, \
u32 socket_id, u32 ring_size, u16 buffer_size, u32 flags, string if_name[64]
"""

VHOST_USER = """
version 26.10 4.1.1 1
request create_vhost_user_if_v2 1: bool is_server, string sock_filename[256], bool renumber, bool disable_mrg_rxbuf, \
bool disable_indirect_desc, bool enable_gso, bool enable_packed, bool enable_event_idx, u32 custom_dev_instance, \
bool use_custom_mac, mac_address mac_address, string tag[64]
reply create_vhost_user_if_v2_reply 1: i32 retval, u32 sw_if_index
request delete_vhost_user_if 1: u32 sw_if_index
reply delete_vhost_user_if_reply 1: i32 retval
request sw_interface_vhost_user_dump 1 streams sw_interface_vhost_user_details: u32 sw_if_index
reply sw_interface_vhost_user_details 1: u32 sw_if_index, string interface_name[64], u32 virtio_net_hdr_sz, \
u32 features_first_32, u32 features_last_32, bool is_server, string sock_filename[256], u32 num_regions, i32 sock_errno
"""

URPF = """
version 26.10 1.0.0 1
request urpf_update_v2 1: bool is_input, u8 mode, u8 af, u32 sw_if_index, u32 table_id
reply urpf_update_v2_reply 1: i32 retval
request urpf_interface_dump 1 streams urpf_interface_details: u32 sw_if_index
reply urpf_interface_details 1: u32 sw_if_index, bool is_input, u8 mode, u8 af, u32 table_id
"""
DHCP = """
version 26.10 1.0.0 1
struct dhcp_client: u32 sw_if_index, string hostname[64], u8 id[64], bool want_dhcp_event, bool set_broadcast_flag, \
u8 dscp, u32 pid
struct dhcp_lease: u32 sw_if_index, u32 state, bool is_ipv6, string hostname[64], u8 mask_width, address host_address
request dhcp_client_config 1: bool is_add, dhcp_client client
reply dhcp_client_config_reply 1: i32 retval
request dhcp_client_dump 1 streams dhcp_client_details
reply dhcp_client_details 1: dhcp_client client, dhcp_lease lease
"""
MSS_CLAMP = """
version 26.10 1.0.0 1
request mss_clamp_enable_disable 1: u32 sw_if_index, u16 ipv4_mss, u16 ipv6_mss, u8 ipv4_direction, u8 ipv6_direction
reply mss_clamp_enable_disable_reply 1: i32 retval
request mss_clamp_get 1 streams mss_clamp_details then mss_clamp_get_reply: u32 cursor, u32 sw_if_index
reply mss_clamp_get_reply 1: i32 retval, u32 cursor
reply mss_clamp_details 1: u32 sw_if_index, u16 ipv4_mss, u16 ipv6_mss, u8 ipv4_direction, u8 ipv6_direction
"""
_PEER = "u16 port, u16 persistent_keepalive, u32 table_id, address endpoint, u32 sw_if_index, u8 flags, \
u8 n_allowed_ips, prefix allowed_ips[n_allowed_ips]"

WIREGUARD = f"""
version 26.10 1.0.0 1
struct wireguard_interface: u32 user_instance, u32 sw_if_index, u8 private_key[32], u8 public_key[32], u16 port, \
address src_ip
struct wireguard_peer: u32 peer_index, u8 public_key[32], {_PEER}
struct wireguard_peer_v2: u32 peer_index, u8 preshared_key[32], bool preshared_key_set, u8 public_key[32], {_PEER}
request wireguard_interface_create 1: wireguard_interface interface, bool generate_key
reply wireguard_interface_create_reply 1: i32 retval, u32 sw_if_index
request wireguard_interface_delete 1: u32 sw_if_index
reply wireguard_interface_delete_reply 1: i32 retval
request wireguard_interface_dump 1 streams wireguard_interface_details: bool show_private_key, u32 sw_if_index
reply wireguard_interface_details 1: wireguard_interface interface
request wireguard_peer_add 1: wireguard_peer peer
reply wireguard_peer_add_reply 1: i32 retval, u32 peer_index
request wireguard_peer_add_v2 1: wireguard_peer_v2 peer
reply wireguard_peer_add_v2_reply 1: i32 retval, u32 peer_index
request wireguard_peer_remove 1: u32 peer_index
reply wireguard_peer_remove_reply 1: i32 retval
request wireguard_peers_dump 1 streams wireguard_peers_details: u32 peer_index
reply wireguard_peers_details 1: wireguard_peer peer
request wireguard_peers_v2_dump 1 streams wireguard_peers_v2_details: u32 peer_index
reply wireguard_peers_v2_details 1: wireguard_peer_v2 peer
"""

LLDP = """
version 26.10 1.0.0 1
request lldp_config 1: u32 tx_hold, u32 tx_interval, string system_name[]
reply lldp_config_reply 1: i32 retval
request sw_interface_set_lldp 1: u32 sw_if_index, u8 mgmt_ip4[4], u8 mgmt_ip6[16], u8 mgmt_oid[128], bool enable, \
string port_desc[]
reply sw_interface_set_lldp_reply 1: i32 retval
request lldp_dump 1 streams lldp_details then lldp_dump_reply: u32 cursor
reply lldp_dump_reply 1: i32 retval, u32 cursor
reply lldp_details 1: u32 sw_if_index, u8 system_name[256], u32 tx_hold, u32 tx_interval, u8 mgmt_ip4[4], \
u8 mgmt_ip6[16], u8 mgmt_oid[128], u8 port_desc[256]
"""

FLOWPROBE = """
version 26.10 1.0.0 1
request flowprobe_interface_add_del 1: bool is_add, u8 which, u8 direction, u32 sw_if_index
reply flowprobe_interface_add_del_reply 1: i32 retval
request flowprobe_interface_dump 1 streams flowprobe_interface_details: u32 sw_if_index
reply flowprobe_interface_details 1: u8 which, u8 direction, u32 sw_if_index
request flowprobe_set_params 1: u8 record_flags, u32 active_timer, u32 passive_timer
reply flowprobe_set_params_reply 1: i32 retval
request flowprobe_get_params 1
reply flowprobe_get_params_reply 1: i32 retval, u8 record_flags, u32 active_timer, u32 passive_timer
request set_ipfix_exporter 1: address collector_address, u16 collector_port, address src_address, u32 vrf_id, \
u32 path_mtu, u32 template_interval, bool udp_checksum
reply set_ipfix_exporter_reply 1: i32 retval
request ipfix_exporter_dump 1 streams ipfix_exporter_details
reply ipfix_exporter_details 1: address collector_address, u16 collector_port, address src_address, u32 vrf_id, \
u32 path_mtu, u32 template_interval, bool udp_checksum
"""

VRRP = """
version 26.10 1.1.1 1
struct vrrp_vr_conf: u32 sw_if_index, u8 vr_id, u8 priority, u16 interval, u32 flags
struct vrrp_vr_runtime: u32 state, u16 master_adv_int, u16 skew, u16 master_down_int
request vrrp_vr_dump 1 streams vrrp_vr_details: u32 sw_if_index
reply vrrp_vr_details 1: vrrp_vr_conf config, vrrp_vr_runtime runtime, u8 n_addrs, address addrs[n_addrs]
struct vrrp_vr_track_if: u32 sw_if_index, u8 priority
request vrrp_vr_add_del 1: u8 is_add, u32 sw_if_index, u8 vr_id, u8 priority, u16 interval, u32 flags, u8 n_addrs, \
address addrs[n_addrs]
reply vrrp_vr_add_del_reply 1: i32 retval
request vrrp_vr_start_stop 1: u32 sw_if_index, u8 vr_id, u8 is_ipv6, u8 is_start
reply vrrp_vr_start_stop_reply 1: i32 retval
request vrrp_vr_set_peers 1: u32 sw_if_index, u8 vr_id, u8 is_ipv6, u8 n_addrs, address addrs[n_addrs]
reply vrrp_vr_set_peers_reply 1: i32 retval
request vrrp_vr_peer_dump 1 streams vrrp_vr_peer_details: u32 sw_if_index, u8 is_ipv6, u8 vr_id
reply vrrp_vr_peer_details 1: u32 sw_if_index, u8 vr_id, u8 is_ipv6, u8 n_peer_addrs, address peer_addrs[n_peer_addrs]
request vrrp_vr_track_if_add_del 1: u32 sw_if_index, u8 is_ipv6, u8 vr_id, u8 is_add, u8 n_ifs, \
vrrp_vr_track_if ifs[n_ifs]
reply vrrp_vr_track_if_add_del_reply 1: i32 retval
request vrrp_vr_track_if_dump 1 streams vrrp_vr_track_if_details: u32 sw_if_index, u8 is_ipv6, u8 vr_id, u8 dump_all
reply vrrp_vr_track_if_details 1: u32 sw_if_index, u8 vr_id, u8 is_ipv6, u8 n_ifs, vrrp_vr_track_if ifs[n_ifs]
"""
NAT = """
version 26.10 5.5.0 1
request nat44_interface_addr_dump 1 streams nat44_interface_addr_details
reply nat44_interface_addr_details 1: u32 sw_if_index, u8 flags
"""
ABF = """
version 26.10 1.0.0 1
struct abf_policy: u32 policy_id, u32 acl_index, u8 n_paths, fib_path paths[n_paths]
struct abf_itf_attach: u32 policy_id, u32 sw_if_index, u32 priority, bool is_ipv6
request abf_policy_add_del 1: bool is_add, abf_policy policy
reply abf_policy_add_del_reply 1: i32 retval
request abf_itf_attach_add_del 1: bool is_add, abf_itf_attach attach
reply abf_itf_attach_add_del_reply 1: i32 retval
request abf_policy_dump 1 streams abf_policy_details
reply abf_policy_details 1: abf_policy policy
request abf_itf_attach_dump 1 streams abf_itf_attach_details
reply abf_itf_attach_details 1: abf_itf_attach attach
"""
DET44 = """
version 26.10 1.0.0 1
request det44_plugin_enable_disable 1: u32 inside_vrf, u32 outside_vrf, bool enable
reply det44_plugin_enable_disable_reply 1: i32 retval
request det44_interface_add_del_feature 1: bool is_add, bool is_inside, u32 sw_if_index
reply det44_interface_add_del_feature_reply 1: i32 retval
request det44_interface_dump 1 streams det44_interface_details
reply det44_interface_details 1: bool is_inside, bool is_outside, u32 sw_if_index
request det44_add_del_map 1: bool is_add, u8 in_addr[4], u8 in_plen, u8 out_addr[4], u8 out_plen
reply det44_add_del_map_reply 1: i32 retval
request det44_map_dump 1 streams det44_map_details
reply det44_map_details 1: u8 in_addr[4], u8 in_plen, u8 out_addr[4], u8 out_plen, u32 sharing_ratio, \
u16 ports_per_host, u32 ses_num
request det44_set_timeouts 1: u32 udp, u32 tcp_established, u32 tcp_transitory, u32 icmp
reply det44_set_timeouts_reply 1: i32 retval
request det44_get_timeouts 1
reply det44_get_timeouts_reply 1: i32 retval, u32 udp, u32 tcp_established, u32 tcp_transitory, u32 icmp
"""
PLUGINS = {
    "abf": ABF,
    "acl": ACL,
    "af_packet": AF_PACKET,
    "det44": DET44,
    "flowprobe": FLOWPROBE,
    "gre": GRE,
    "ipip": IPIP,
    "lacp": LACP,
    "lldp": LLDP,
    "memif": MEMIF,
    "dhcp": DHCP,
    "mss_clamp": MSS_CLAMP,
    "sflow": SFLOW,
    "tap": TAP,
    "vrrp": VRRP,
    "nat": NAT,
    "urpf": URPF,
    "vhost_user": VHOST_USER,
    "vxlan": VXLAN,
    "wireguard": WIREGUARD,
}
