# What the scenarios share. They run as root on the machine, after it has booted, and say `TOPIC: TEXT` by its second serial
# line, which in a container is a file.

file=/etc/vpp/vppcfg.yaml

say() {
    echo "$1: $2" >>/dev/ttyS1
}

# Properties of a unit, in this order.
show() {
    unit=$1
    shift
    for property in "$@"; do
        systemctl show --property="$property" --value "$unit"
    done | paste -sd' '
}

invocation() {
    show vppcfg.service InvocationID
}

# Waits, at most five minutes, until vppcfg.service has run again and come to an end; $1 is the run before.
settle() {
    end=$(($(date +%s) + 300))
    while [ "$(date +%s)" -lt $end ]; do
        case $(show vppcfg.service ActiveState) in
        active | failed) [ "$(invocation)" = "$1" ] || return 0 ;;
        esac
        sleep 0.2
    done
}

# How a run ended, how often it was tried again, and whether VPP is as the file says (0) or not (2).
outcome() {
    settle "$2"
    vppcfg --quiet plan -c "${3:-$file}" --detailed-exitcode >/dev/null 2>&1
    say "$1" "$(show vppcfg.service ActiveState ExecMainStatus NRestarts) plan $?"
}
