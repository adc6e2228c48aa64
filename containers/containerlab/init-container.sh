#!/bin/sh
# Starts VPP in a node of containerlab, gives it the links of the node as its ports, and applies the configuration that
# containerlab has put at /config/vpp/vppcfg.yaml. Ends when VPP does, and VPP ends when this is told to.
#
# The links are eth1 and further; eth0 is for management and stays with Linux. A link ethN is the port ethN of VPP.
set -u

config=${CONFIG_DIR:-/config}/vpp
run=${VPP_RUN_DIR:-/run/vpp}
network=${NETWORK_DIR:-/sys/class/net}
patience=${PATIENCE_S:-60}

say() { echo "init-container: $*"; }

startup=/etc/vpp/startup.conf
[ -f "$config/startup.conf" ] && startup=$config/startup.conf
mkdir -p "$run" "${LOG_DIR:-/var/log}"

vpp -c "$startup" &
vpp=$!
trap 'kill -TERM "$vpp" 2>/dev/null' TERM INT

waited=0
until vppctl -s "$run/cli.sock" show version >/dev/null 2>&1; do
    kill -0 "$vpp" 2>/dev/null || { say "VPP has ended before it answered"; wait "$vpp"; exit 1; }
    [ "$waited" -lt "$patience" ] || { say "VPP does not answer after $patience s"; kill -TERM "$vpp"; wait "$vpp"; exit 1; }
    waited=$((waited + 1))
    sleep 1
done

for link in "$network"/eth*; do
    name=${link##*/}
    [ "$name" != eth0 ] && [ -e "$link/address" ] || continue
    mac=$(cat "$link/address")
    # VPP's port has the MAC address of the link, so that what Linux on the other side has learned stays true.
    vppctl -s "$run/cli.sock" create host-interface name "$name" hw-addr "$mac" &&
        vppctl -s "$run/cli.sock" set interface name "host-$name" "$name" ||
        say "VPP does not take $name"
done

rm -f "$run/vppcfg.refused"
if [ -f "$config/vppcfg.yaml" ]; then
    if vppcfg apply --boot -c "$config/vppcfg.yaml" -a "$run/api.sock"; then
        say "$config/vppcfg.yaml is applied"
    else
        cksum <"$config/vppcfg.yaml" >"$run/vppcfg.refused" # save-config.sh does not overwrite this file
        say "$config/vppcfg.yaml is not applied; \`docker exec\` and \`vppcfg plan -c $config/vppcfg.yaml\` show why"
    fi
else
    say "there is no $config/vppcfg.yaml: VPP has its ports and nothing else"
fi

# A signal ends the first wait before VPP has ended; the second one has its exit code.
wait "$vpp"
code=$?
if kill -0 "$vpp" 2>/dev/null; then
    wait "$vpp"
    code=$?
fi
exit "$code"
