#!/bin/sh
# The first process of a kernel that tests/kernel/debian_kernel.py starts: makes a small machine, runs the command, and
# turns the machine off. The kernel hands its words NAME=VALUE on as environment.
mount -t proc proc /proc
mount -t sysfs sys /sys
for folder in /run /tmp /var/tmp; do mount -t tmpfs tmpfs $folder; done
chmod 1777 /tmp /var/tmp
mkdir -p /dev/shm /dev/pts /run/vpp /run/outside
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
mount -t hostfs -o "$FOLDER" none /run/outside
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
export HYPOTHESIS_STORAGE_DIRECTORY=/tmp/hypothesis
ip link set lo up
for module in $(echo "$MODULES" | tr , ' '); do
    LD_LIBRARY_PATH=$SYSTEM/lib/x86_64-linux-gnu:$SYSTEM/usr/lib/x86_64-linux-gnu \
        "$SYSTEM/modprobe" --dirname "$SYSTEM/usr/lib/uml" "$module"
done
. /run/outside/command
echo $? >/run/outside/code
exec /run/outside/power_off
