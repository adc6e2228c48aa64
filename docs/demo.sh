#!/bin/bash
# Plans and applies two configurations on a simulated router, one command after the other, each shown before it runs.
# docs/demo.md explains every line of what this prints. Leaves nothing behind. Needs vppcfg in PATH.
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

show() {
    printf '$ %s\n' "$*"
}

run() {
    show "$@"
    "$@" 2>&1
    echo
}

start_simulator() {
    local command=(vppcfg sim --socket vpp.sock --api-dir api --version 23.06-rc0~35-gaf4046134
        --phy GigabitEthernet1/0/0 --phy GigabitEthernet3/0/0)
    show "${command[@]}" '&'
    "${command[@]}" >simulator.log 2>&1 &
    simulator=$!
    for _ in $(seq 100); do
        ! grep -qs 'is listening' simulator.log || return 0
        kill -0 "$simulator" 2>/dev/null || break
        sleep 0.1
    done
    echo "The simulated VPP did not start:" >&2
    cat simulator.log >&2
    return 1
}

cd "$scratch"
cp "$examples/l2xc.yaml" "$examples/l3.yaml" .
start_simulator
echo
run export VPP_API_DIR=api VPPCFG_STATE_DIR=journal VPPCFG_RUN_DIR=journal
run vppcfg check -c l2xc.yaml
run vppcfg plan --format cli -c l2xc.yaml -a vpp.sock
run vppcfg apply -c l2xc.yaml -a vpp.sock
run vppcfg plan -c l2xc.yaml -a vpp.sock
run vppcfg plan -q -c l3.yaml -a vpp.sock
run vppcfg apply -q --yes -c l3.yaml -a vpp.sock
run vppcfg dump -q -a vpp.sock
run vppcfg rollback -a vpp.sock --yes
