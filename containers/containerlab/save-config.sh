#!/bin/sh
# Writes what VPP has as the configuration of the node, for `containerlab save`: nothing on standard error when it
# succeeds, and the place of the file on standard output. With a file there, its comments and its order stay.
set -eu
config=${CONFIG_DIR:-/config}/vpp/vppcfg.yaml
socket=${VPP_RUN_DIR:-/run/vpp}/api.sock
if [ -f "$config" ]; then
    vppcfg dump -q --into "$config" -a "$socket"
else
    vppcfg dump -q -o "$config" -a "$socket"
fi
echo "$config"
