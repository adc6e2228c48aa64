# A simulated VPP, and what becomes of it whenever it starts.

outcome boot none
say 'boot took' "$(systemd-analyze time | head -n 1)"
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

# A change that nobody confirms goes away by itself: systemd's timer outlives what armed it.
sed 's/mtu: 9000/mtu: 1500/' $file >/tmp/risky.yaml
vppcfg --quiet apply --yes --confirm 0.5 -c /tmp/risky.yaml >/dev/null 2>&1
armed=$?
confirm=$(systemctl list-timers --all --plain --no-legend 'vppcfg-confirm-*' | grep -o 'vppcfg-confirm[^ ]*service')
exposure() {
    systemd-analyze security --no-pager "$1" | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p'
}
say 'exposure of vppcfg.service' "$(exposure vppcfg.service)"
say 'exposure of vppcfg-watch.service' "$(exposure vppcfg-watch.service)"
say 'exposure of vppcfg-confirm' "$(exposure "$confirm")"
say 'unconfirmed' "$armed $(systemctl list-timers --all --plain --no-legend 'vppcfg-confirm-*' | grep -c vppcfg-confirm) timer"
end=$(($(date +%s) + 300))
while [ "$(date +%s)" -lt $end ] && ! vppcfg --quiet plan -c $file --detailed-exitcode >/dev/null 2>&1; do
    sleep 1
done
vppcfg --quiet plan -c $file --detailed-exitcode >/dev/null 2>&1
say 'rolled back' "plan $?"

# A file that nobody has applied does not come into force by itself.
cp $file /tmp/accepted.yaml
sed -i 's/mtu: 9000/mtu: 1500/' $file
before=$(invocation)
systemctl restart vpp.service
outcome 'edited file' "$before" /tmp/accepted.yaml
say 'warning' "$(journalctl --unit=vppcfg.service --priority=warning --output=cat --no-pager --quiet | tail -n 1)"
cp /tmp/accepted.yaml $file

# The package of the same name and a higher version, while VPP runs.
before=$(invocation)
pid=$(show vpp.service MainPID)
dpkg --install /root/new.deb >/tmp/upgrade 2>&1
say 'upgrade' "$? vpp $([ "$pid" = "$(show vpp.service MainPID)" ] && echo same) run $([ "$before" = "$(invocation)" ] && echo same)"

# What a retry cannot mend: a file that is wrong, on a router that has never been configured.
rm -rf /var/lib/vppcfg/*
echo 'interfaces: { eth9: { mtu: wide } }' >$file
before=$(invocation)
systemctl restart vpp.service
settle "$before"
sleep 5
say 'wrong file' "$(show vppcfg.service ActiveState ExecMainStatus NRestarts)"

# A port that VPP lacks.
echo 'interfaces: { eth9: { mtu: 1500 } }' >$file
before=$(invocation)
systemctl restart vpp.service
settle "$before"
sleep 5
say 'missing port' "$(show vppcfg.service ActiveState ExecMainStatus NRestarts)"

# No file at all: that is a router which somebody is still setting up.
rm $file
systemctl restart vpp.service
sleep 5
say 'no file' "$(show vppcfg.service ConditionResult)"

pid=$(show vpp.service MainPID)
dpkg --purge vppcfg >/tmp/purge 2>&1
say 'purge' "$? vpp $([ "$pid" = "$(show vpp.service MainPID)" ] && echo same)"
