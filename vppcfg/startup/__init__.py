"""How VPP itself is set up: a `dataplane` section and a machine to startup.conf, kernel command line and sysctl."""
