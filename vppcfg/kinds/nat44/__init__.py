"""NAT44: its settings, pools, mappings, exemptions and leaks between VRFs, and the interfaces that take part."""
