"""vnet/ip/ip.api: the addresses that interfaces have, those that they borrow, and FIB tables."""

TEXT = """
version 23.06 3.2.0 bd2f873b
version 24.10 3.2.0 4645df38
version 26.06- 3.2.0 c55aec44
import interface_index
import prefix
request ip_address_dump 2d033de4 streams ip_address_details: interface_index sw_if_index, bool is_ipv6
reply ip_address_details ee29b797: interface_index sw_if_index, address_with_prefix prefix
request ip_unnumbered_dump f9e6675e streams ip_unnumbered_details: interface_index sw_if_index=4294967295
reply ip_unnumbered_details cc59bd42: interface_index sw_if_index, interface_index ip_sw_if_index
struct ip_table: u32 table_id, bool is_ip6, string name[64]
request ip_table_add_del 0ffdaec0: bool is_add=true, ip_table table
reply ip_table_add_del_reply e8d4e804: i32 retval
request ip_table_dump 51077d14 streams ip_table_details
reply ip_table_details c79fca0f: ip_table table
"""
