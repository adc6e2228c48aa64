"""Linux around one VPP process: its network namespaces, devices and bridges, through netlink and a few system calls."""
