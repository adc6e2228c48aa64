"""A virtual machine with a Debian of its own: an image made from a folder, Debian's kernel, a scenario that reports."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tests.deb.debian import Debian

KERNEL = "linux-image-cloud-amd64"
_MODULES = ("virtio_pci", "virtio_blk", "ext4")
"""All that it takes to reach the root file system: the smaller the initial RAM disk, the sooner a CPU in software is
through with it."""
_SCENARIO_UNIT = """\
[Unit]
Description=What is to be shown
After=multi-user.target
[Service]
ExecStart=/bin/sh /root/scenario
ExecStopPost=/bin/systemctl poweroff
"""
_SIZE = "4G"


@dataclass(frozen=True, slots=True, kw_only=True)
class Booted:
    """What came of a boot."""

    seconds: float
    """From power on to power off."""
    console: str
    said: dict[str, str]
    """What the scenario said, by topic."""


def make_bootable(debian: Debian) -> None:
    """Install systemd and Debian's kernel."""
    settings = debian.path("/etc/initramfs-tools")
    (settings / "conf.d").mkdir(parents=True)
    (settings / "conf.d" / "small").write_text("MODULES=list\nCOMPRESS=lz4\n")
    (settings / "modules").write_text("".join(f"{name}\n" for name in _MODULES))
    debian.install("--no-install-recommends", "lz4", "initramfs-tools", KERNEL, "systemd-sysv", "udev", "dbus", "kmod")
    debian.path("/etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")


def boot(debian: Debian, scenario: Path, folder: Path, timeout_s: float = 900) -> Booted:
    """Boot a copy of `debian` that runs a shell script and says `TOPIC: TEXT` by its second serial line; then it ends."""
    debian.path("/root/scenario").write_text(scenario.read_text())
    units = debian.path("/etc/systemd/system")
    (units / "scenario.service").write_text(_SCENARIO_UNIT)
    wants = units / "multi-user.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "scenario.service").unlink(missing_ok=True)
    (wants / "scenario.service").symlink_to("/etc/systemd/system/scenario.service")
    image = folder / "image"
    subprocess.run(["mkfs.ext4", "-q", "-F", "-d", debian.root, image, _SIZE], check=True)
    started = time.monotonic()
    subprocess.run(_qemu(debian, image, folder), check=True, timeout=timeout_s, stdin=subprocess.DEVNULL)
    image.unlink()
    said = [line.partition(": ") for line in (folder / "said").read_text(errors="replace").splitlines()]
    return Booted(
        seconds=time.monotonic() - started,
        console=(folder / "console").read_text(errors="replace"),
        said={topic: text for topic, _, text in said},
    )


def _qemu(debian: Debian, image: Path, folder: Path) -> list[str]:
    """Return the command; QEMU_ACCEL=kvm is quicker, where a machine within a machine can have it."""
    accelerator = os.environ.get("QEMU_ACCEL", "tcg")
    (kernel,) = debian.path("/boot").glob("vmlinuz-*")
    (ram_disk,) = debian.path("/boot").glob("initrd.img-*")
    command = ["qemu-system-x86_64", "-accel", accelerator, "-cpu", "max,la57=off", "-smp", "2", "-m", "2048", "-no-reboot"]
    command += ["-nographic", "-monitor", "none", "-nic", "none"]
    command += ["-kernel", str(kernel), "-initrd", str(ram_disk)]
    command += ["-append", "root=/dev/vda rw console=ttyS0 quiet loglevel=3 random.trust_cpu=on mitigations=off"]
    command += ["-drive", f"if=virtio,format=raw,cache=unsafe,file={image}"]
    return [*command, "-serial", f"file:{folder}/console", "-serial", f"file:{folder}/said"]
