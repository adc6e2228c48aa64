"""Sets up VPP itself: makes startup.conf, kernel command line and sysctl from a section `dataplane` and a machine."""
