#!/bin/bash
# A first change on a simulated router, for the picture of a terminal in README.md: `make picture` draws what this
# prints. Each command is shown before it runs. Leaves nothing behind. Needs vppcfg in PATH.
set -euo pipefail

examples=$(cd "$(dirname "$0")/examples" && pwd)
scratch=$(mktemp -d)
simulator=

tidy() {
    if [ -n "$simulator" ]; then
        kill "$simulator" 2>/dev/null || true
        wait "$simulator" || true
    fi
    rm -rf "$scratch"
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The commands need no -a on a router, where the socket is where it always is.
vppcfg() {
    command vppcfg "$@" -a "$scratch/vpp.sock"
}

run() {
    printf '$ %s\n' "$*"
    "$@"
    echo
}

cd "$scratch"
export VPPCFG_STATE_DIR=journal VPPCFG_RUN_DIR=run
command vppcfg sim --socket vpp.sock --phy GigabitEthernet1/0/0 --phy GigabitEthernet3/0/0 --state "$examples/l3.yaml" \
    >simulator.log 2>&1 &
simulator=$!
for _ in $(seq 100); do
    ! grep -qs 'is listening' simulator.log || break
    sleep 0.1
done

run vppcfg dump -q -o router.yaml
echo '$ vi router.yaml   # mtu: 9000, and an IPv6 address'
sed -i 's/mtu: 1500/mtu: 9000/; s|100.64.10.1/30|&, 2001:db8::1/64|' router.yaml
echo
run vppcfg plan -q -c router.yaml
run vppcfg apply -q -c router.yaml --confirm 5
run vppcfg confirm
