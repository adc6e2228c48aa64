"""vnet/bonding/bond.api: bonds and their members."""

TEXT = """
version 23.06- 2.1.0 a03f5330
import interface_index
import mac_address
enum bond_mode u32 BOND_API_MODE_ROUND_ROBIN=1 BOND_API_MODE_ACTIVE_BACKUP=2 BOND_API_MODE_XOR=3 \
BOND_API_MODE_BROADCAST=4 BOND_API_MODE_LACP=5
enum bond_lb_algo u32 BOND_API_LB_ALGO_L2=0 BOND_API_LB_ALGO_L34=1 BOND_API_LB_ALGO_L23=2 BOND_API_LB_ALGO_RR=3 \
BOND_API_LB_ALGO_BC=4 BOND_API_LB_ALGO_AB=5
request bond_create f1dbd4ff: u32 id=4294967295, bool use_custom_mac, mac_address mac_address, bond_mode mode, \
bond_lb_algo lb, bool numa_only
reply bond_create_reply 5383d31f: i32 retval, interface_index sw_if_index
request bond_create2 912fda76: bond_mode mode, bond_lb_algo lb, bool numa_only, bool enable_gso, bool use_custom_mac, \
mac_address mac_address, u32 id=4294967295
reply bond_create2_reply 5383d31f: i32 retval, interface_index sw_if_index
request bond_delete f9e6675e: interface_index sw_if_index
reply bond_delete_reply e8d4e804: i32 retval
request bond_add_member e7d14948: interface_index sw_if_index, interface_index bond_sw_if_index, bool is_passive, bool \
is_long_timeout
reply bond_add_member_reply e8d4e804: i32 retval
request bond_enslave e7d14948: interface_index sw_if_index, interface_index bond_sw_if_index, bool is_passive, bool \
is_long_timeout
reply bond_enslave_reply e8d4e804: i32 retval
request bond_detach_member f9e6675e: interface_index sw_if_index
reply bond_detach_member_reply e8d4e804: i32 retval
request bond_detach_slave f9e6675e: interface_index sw_if_index
reply bond_detach_slave_reply e8d4e804: i32 retval
request sw_interface_bond_dump 51077d14 streams sw_interface_bond_details
reply sw_interface_bond_details bb7c929b: interface_index sw_if_index, u32 id, bond_mode mode, bond_lb_algo lb, bool \
numa_only, u32 active_slaves, u32 slaves, string interface_name[64]
request sw_bond_interface_dump f9e6675e streams sw_bond_interface_details: interface_index sw_if_index=4294967295
reply sw_bond_interface_details 9428a69c: interface_index sw_if_index, u32 id, bond_mode mode, bond_lb_algo lb, bool \
numa_only, u32 active_members, u32 members, string interface_name[64]
request sw_interface_slave_dump f9e6675e streams sw_interface_slave_details: interface_index sw_if_index
reply sw_interface_slave_details 3c4a0e23: interface_index sw_if_index, string interface_name[64], bool is_passive, \
bool is_long_timeout, bool is_local_numa, u32 weight
request sw_member_interface_dump f9e6675e streams sw_member_interface_details: interface_index sw_if_index
reply sw_member_interface_details 3c4a0e23: interface_index sw_if_index, string interface_name[64], bool is_passive, \
bool is_long_timeout, bool is_local_numa, u32 weight
request sw_interface_set_bond_weight deb510a0: interface_index sw_if_index, u32 weight
reply sw_interface_set_bond_weight_reply e8d4e804: i32 retval
"""
