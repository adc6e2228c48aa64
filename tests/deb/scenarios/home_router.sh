# docs/home-router.md to the letter, on a router with the package and a VPP that starts as FD.io's package has it. The
# provider and a host at home are in namespaces behind its ports; /root/page holds what the page has.

set -- world 203.0.113.1/24 host ''
for number in 0 1; do
    ip netns add "$1"
    ip link set "veth$number-peer" netns "$1" up
    ip -n "$1" link set lo up
    ethtool_off=$(ip netns exec "$1" ethtool -K "veth$number-peer" tx off 2>&1) || say 'checksums' "$ethtool_off"
    [ -z "$2" ] || ip -n "$1" address add "$2" dev "veth$number-peer"
    shift 2
done
ip -n world address add 9.9.9.9/32 dev lo
ip netns exec world dnsmasq --conf-file=/dev/null --interface=veth0-peer --bind-dynamic --no-ping --no-resolv --no-hosts \
    --address=/www.example.org/9.9.9.9 --dhcp-range=203.0.113.100,203.0.113.110 --pid-file=/run/world.pid
serve() { # at, an address, a port
    ip netns exec "$1" python3 -c "
import socket
server = socket.create_server(('$2', $3))
while True:
    client, (address, _) = server.accept()
    client.send(address.encode())
    client.close()" &
}
reach() { # an address, a port, the command that enters a namespace: prints by what address the server was reached
    where=$1:$2
    shift 2
    "$@" python3 -c "
import socket, sys
address, port = sys.argv[1].split(':')
print(socket.create_connection((address, int(port)), 5).recv(99).decode())" "$where" 2>&1 | tail -1
}
serve world 9.9.9.9 80

cd /root/page || exit
while read -r command; do
    end=$(($(date +%s) + 60))
    until [ -S /run/vpp/api.sock ] || [ "$(date +%s)" -gt $end ]; do sleep 0.2; done
    case $command in *apply*) command="$command --yes" ;; esac
    written=$($command 2>&1)
    say "$command" "$?"
    echo "\$ $command
$written" >>/root/written
done <commands
say 'written' "$(tr '\n' '|' </root/written)"

cp dnsmasq.conf /etc/dnsmasq.d/home.conf
cp uplink.network /etc/systemd/network/uplink.network
systemctl restart dnsmasq
systemctl enable --quiet --now systemd-networkd

# The host at home asks as any host does.
cat >/root/lease <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip address replace "$ip/$mask" dev "$interface"
ip route replace default via "$router"
echo "$router $dns" >/root/leased
END
chmod +x /root/lease
for attempt in 1 2 3 4 5; do
    ip netns exec host udhcpc -f -q -n -i veth1-peer -s /root/lease >/root/udhcpc 2>&1 && break
    sleep 2
done
say 'lease' "$(cat /root/leased 2>&1)"
mkdir -p /etc/netns/host
echo "nameserver $(cut -d' ' -f2 /root/leased)" >/etc/netns/host/resolv.conf
for attempt in 1 2 3 4 5; do # Linux gets its way out when networkd is through
    name=$(ip netns exec host getent ahostsv4 www.example.org | head -1 | cut -d' ' -f1)
    [ -z "$name" ] || break
    sleep 2
done
say 'name' "$name"
say 'host reaches the world as' "$(reach 9.9.9.9 80 ip netns exec host)"
say 'router reaches the world as' "$(reach 9.9.9.9 80)"
ip -n host address add 192.168.1.20/24 dev veth1-peer
serve host 192.168.1.20 443
sleep 1
leased=$(vppctl show dhcp client | grep -o 'addr 203[.0-9]*' | cut -d' ' -f2)
say 'address of the provider' "$leased"
say 'web at home is reached as' "$(reach "$leased" 443 ip netns exec world)"

before=$(invocation)
systemctl restart vpp.service
outcome 'vpp restarted' "$before"
say 'vpp.service says' "$(journalctl --unit=vpp.service --output=cat --no-pager | tail -8 | tr '\n' '|')"
