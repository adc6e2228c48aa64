"""TAPs, VPP interfaces with a Linux device at the other end; `kind` brings the modules together."""
