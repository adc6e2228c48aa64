"""plugins/lacp/lacp.api: what the members of LACP bonds tell each other."""

TEXT = """
version 23.06- 2.0.0 e1609dab
import interface_index
import mac_address
request sw_interface_lacp_dump 51077d14 streams sw_interface_lacp_details
reply sw_interface_lacp_details d9a83d2f: interface_index sw_if_index, string interface_name[64], u32 rx_state, u32 \
tx_state, u32 mux_state, u32 ptx_state, string bond_interface_name[64], u16 actor_system_priority, mac_address \
actor_system, u16 actor_key, u16 actor_port_priority, u16 actor_port_number, u8 actor_state, u16 \
partner_system_priority, mac_address partner_system, u16 partner_key, u16 partner_port_priority, u16 \
partner_port_number, u8 partner_state
"""
