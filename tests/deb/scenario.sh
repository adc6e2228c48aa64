# Runs as root in the virtual machine, after it has booted: what becomes of VPP whenever VPP starts.
# Says `TOPIC: TEXT` by the second serial line.

file=/etc/vpp/vppcfg.yaml

say() {
    echo "$1: $2" >/dev/ttyS1
}

invocation() {
    systemctl show --property=InvocationID --value vppcfg.service
}

pid_of_vpp() {
    systemctl show --property=MainPID --value vpp.service
}

# Waits until vppcfg.service has run again and come to an end; $1 is the run before.
settle() {
    for _ in $(seq 600); do
        case $(systemctl show --property=ActiveState --value vppcfg.service) in
        active | failed) [ "$(invocation)" = "$1" ] || return 0 ;;
        esac
        sleep 0.2
    done
}

# The state of the unit, its exit code, how often it was tried again, and whether VPP is as the file says (0) or not (2).
outcome() {
    settle "$2"
    state=$(systemctl show --property=ActiveState,ExecMainStatus,NRestarts --value vppcfg.service | paste -sd' ')
    vppcfg --quiet plan -c "${3:-$file}" --detailed-exitcode >/dev/null 2>/tmp/errors
    say "$1" "$state plan $?"
}

outcome boot none
say 'boot took' "$(systemd-analyze time | tr '\n' ' ')"
say 'state directory' "$(stat --format='%U:%G %a' /var/lib/vppcfg)"
say 'journal' "$(find /var/lib/vppcfg -type f -printf '%u:%g %m\n' | sort -u | paste -sd,)"
say 'failed units' "$(systemctl list-units --failed --plain --no-legend | paste -sd,)"

before=$(invocation)
systemctl kill --signal=KILL vpp.service
outcome 'vpp killed' "$before"

before=$(invocation)
systemctl restart vpp.service
outcome 'vpp restarted' "$before"

before=$(invocation)
systemctl stop vpp.service
say 'vpp stopped' "$(systemctl is-active vppcfg.service)"
systemctl start vpp.service
outcome 'vpp started' "$before"

# A file that nobody has applied does not come into force by itself.
cp $file /tmp/accepted.yaml
sed -i 's/mtu: 9000/mtu: 1500/' $file
before=$(invocation)
systemctl restart vpp.service
outcome 'edited file' "$before" /tmp/accepted.yaml
cp /tmp/accepted.yaml $file

# The package of the same name and a higher version, while VPP runs.
before=$(invocation)
pid=$(pid_of_vpp)
dpkg --install /root/new.deb >/tmp/upgrade 2>&1
say 'upgrade' "$? vpp $([ "$pid" = "$(pid_of_vpp)" ] && echo same) run $([ "$before" = "$(invocation)" ] && echo same)"

# What a retry cannot mend: a file that is wrong, on a router that has never been configured.
rm -rf /var/lib/vppcfg/*
echo 'interfaces: { eth9: { mtu: wide } }' >$file
before=$(invocation)
systemctl restart vpp.service
settle "$before"
sleep 5
say 'wrong file' "$(systemctl show --property=ActiveState,ExecMainStatus,NRestarts --value vppcfg.service | paste -sd' ')"

# A port that VPP lacks.
echo 'interfaces: { eth9: { mtu: 1500 } }' >$file
before=$(invocation)
systemctl restart vpp.service
settle "$before"
sleep 5
say 'missing port' "$(systemctl show --property=ActiveState,ExecMainStatus,NRestarts --value vppcfg.service | paste -sd' ')"

# No file at all: that is a router which somebody is still setting up.
rm $file
systemctl restart vpp.service
sleep 5
say 'no file' "$(systemctl show --property=ActiveState,ConditionResult --value vppcfg.service | paste -sd' ')"

pid=$(pid_of_vpp)
dpkg --purge vppcfg >/tmp/purge 2>&1
say 'purge' "$? vpp $([ "$pid" = "$(pid_of_vpp)" ] && echo same)"
say 'log' "$(journalctl --unit=vppcfg.service --output=cat --no-pager | tail -n 40 | paste -sd'|')"
