"""Operations as API messages: an operation in, the name of a message and its values out. Nothing is sent here.

One module per kind of object tells what its operations say.
"""

from vppcfg.vpp.encode import acl, address, bond, bridge, interface, l2, lcp, loopback, mpls, sflow, tap, vxlan
from vppcfg.vpp.encode.call import api_call
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode, objection

_KINDS = (acl, address, bond, bridge, interface, l2, lcp, loopback, mpls, sflow, tap, vxlan)
"""What `encode` was taught by: each module registers its operations."""

__all__ = ["Indexes", "Request", "Vocabulary", "api_call", "encode", "objection"]
