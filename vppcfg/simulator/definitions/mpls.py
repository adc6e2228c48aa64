"""vnet/mpls/mpls.api: MPLS tables and interfaces."""

TEXT = """
version 23.06 1.1.1 46824f02
version 24.10- 1.1.1 df2aeee2
import interface_index
struct mpls_table: u32 mt_table_id, string mt_name[64]
request mpls_table_add_del 57817512: bool mt_is_add=true, mpls_table mt_table
reply mpls_table_add_del_reply e8d4e804: i32 retval
request mpls_table_dump 51077d14 streams mpls_table_details
reply mpls_table_details f03ecdc8: mpls_table mt_table
request sw_interface_set_mpls_enable ae6cfcfb: interface_index sw_if_index, bool enable=true
reply sw_interface_set_mpls_enable_reply e8d4e804: i32 retval
request mpls_interface_dump f9e6675e 24.10- streams mpls_interface_details: interface_index \
sw_if_index=4294967295
reply mpls_interface_details 0b45011c 24.10-: interface_index sw_if_index
"""
