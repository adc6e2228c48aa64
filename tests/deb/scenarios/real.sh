# A real VPP, with devices in Linux and namespaces that the confined service has to reach.

outcome boot none
say 'pair' "$(ip netns exec dataplane ip -oneline link show e0 | grep -o 'mtu [0-9]*')"
say 'bridge' "$(ip netns exec guests ip -oneline link show vpp-tap0 | grep -o 'master [^ ]*')"

before=$(invocation)
systemctl kill --signal=KILL vpp.service
outcome 'vpp killed' "$before"
say 'pair again' "$(ip netns exec dataplane ip -oneline link show e0 | grep -o 'mtu [0-9]*')"
