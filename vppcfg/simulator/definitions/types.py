"""Types that several .api files share: vnet/interface_types.api, vnet/ip/ip_types.api, vnet/ethernet_types.api."""

INTERFACE_INDEX = """
alias interface_index u32
"""

MAC_ADDRESS = """
alias mac_address u8[6]
"""

PREFIX = """
alias ip4_address u8[4]
alias ip6_address u8[16]
alias address_with_prefix prefix
enum address_family u8 ADDRESS_IP4=0 ADDRESS_IP6=1
union address_union: ip4_address ip4 ADDRESS_IP4, ip6_address ip6 ADDRESS_IP6
struct address: address_family af, address_union un
struct prefix: address address, u8 len
"""
