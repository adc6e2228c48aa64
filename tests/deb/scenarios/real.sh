# A real VPP, with devices in Linux and namespaces that the confined service has to reach.

outcome boot none
say 'pair' "$(ip netns exec dataplane ip -oneline link show e0 | grep -o 'mtu [0-9]*')"
say 'bridge' "$(ip netns exec guests ip -oneline link show vpp-tap0 | grep -o 'master [^ ]*')"

before=$(invocation)
systemctl kill --signal=KILL vpp.service
outcome 'vpp killed' "$before"
say 'pair again' "$(ip netns exec dataplane ip -oneline link show e0 | grep -o 'mtu [0-9]*')"

# The watch sees what somebody does to VPP, and that it is put right again.
systemctl start vppcfg-watch.service
seen() { # a line, and how often
    end=$(($(date +%s) + 60))
    while [ "$(date +%s)" -lt $end ]; do
        journalctl --unit=vppcfg-watch.service --output=cat --no-pager | grep -c "$1" | grep -qx "${2:-1}" && echo yes && return
        sleep 0.5
    done
}
say 'in sync' "$(seen 'VPP matches .*')"
vppctl=$(dirname "$(readlink "/proc/$(show vpp.service MainPID)/exe")")/vppctl
$vppctl -s /run/vpp/cli.sock set interface state loop0 down
say 'drift' "$(seen 'differs from .*: ~ loopbacks.loop0')"
$vppctl -s /run/vpp/cli.sock set interface state loop0 up
say 'drift is gone' "$(seen 'VPP matches .*' 2)"
systemctl reload vppcfg-watch.service
sleep 1
say 'watch' "$(show vppcfg-watch.service ActiveState NRestarts)"
systemctl stop vppcfg-watch.service
say 'watch stopped' "$(show vppcfg-watch.service ActiveState Result)"
