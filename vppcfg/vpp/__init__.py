"""The live dataplane: VPP behind its binary API socket. The only package that knows vpp_papi's files."""
