"""A virtual machine with a Debian of its own: an image made from a folder, Debian's kernel, a scenario that reports."""

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.deb.debian import Debian
from vppcfg.record import record

SCENARIOS = Path(__file__).parent / "scenarios"
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


@record
class Booted:
    """What came of a boot."""

    seconds: float
    """From power on to power off."""
    console: str
    said: dict[str, str]
    """What the scenario said, by topic."""


def make_bootable(debian: Debian) -> None:
    settings = debian.path("/etc/initramfs-tools")
    (settings / "conf.d").mkdir(parents=True)
    (settings / "conf.d" / "small").write_text("MODULES=list\nCOMPRESS=lz4\n")
    (settings / "modules").write_text("".join(f"{name}\n" for name in _MODULES))
    debian.install("--no-install-recommends", "lz4", "initramfs-tools", KERNEL, "systemd-sysv", "udev", "dbus", "kmod")
    debian.path("/etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")


def boot(debian: Debian, scenario: str, folder: Path, timeout_s: float = 1800) -> Booted:
    """Boot a copy of `debian` that goes through a scenario of tests/deb/scenarios/, and wait for its end."""
    _prepare(debian, scenario)
    image = folder / "image"
    subprocess.run(["mkfs.ext4", "-q", "-F", "-d", debian.root, image, _SIZE], check=True)
    seconds = _run(_qemu(debian, image, folder), timeout_s)
    image.unlink()
    return Booted(seconds=seconds, console=_read(folder / "console"), said=_said(folder))


def boot_container(debian: Debian, scenario: str, folder: Path, timeout_s: float = 900) -> Booted:
    """Boot `debian` itself on this machine's kernel: for a program that this CPU runs, and one in software does not."""
    _prepare(debian, scenario)
    (folder / "said").touch()
    command = ["systemd-nspawn", f"--directory={debian.root}", "--boot", "--register=no", "--keep-unit"]
    command += ["--link-journal=no", "--private-network", "--capability=all", "--system-call-filter=@known"]
    command += ["--bind=/dev/net/tun", f"--bind={folder}/said:/dev/ttyS1", "--console=pipe", "--quiet"]
    return Booted(seconds=_run(command, timeout_s), console="", said=_said(folder))


def _prepare(debian: Debian, scenario: str) -> None:
    """Put a scenario in place, to be run as soon as everything else has been started."""
    parts = [SCENARIOS / "saying.sh", SCENARIOS / f"{scenario}.sh"]
    debian.path("/root/scenario").write_text("\n".join(part.read_text() for part in parts))
    units = debian.path("/etc/systemd/system")
    (units / "scenario.service").write_text(_SCENARIO_UNIT)
    link = units / "multi-user.target.wants" / "scenario.service"
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to("/etc/systemd/system/scenario.service")


def _run(command: Sequence[str], timeout_s: float) -> float:
    """Run a command and return how many seconds it took."""
    started = time.monotonic()
    subprocess.run(command, check=True, timeout=timeout_s, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def _said(folder: Path) -> dict[str, str]:
    said = [line.partition(": ") for line in _read(folder / "said").splitlines()]
    return {topic: text for topic, _, text in said}


def _read(path: Path) -> str:
    return path.read_text(errors="replace")


def _qemu(debian: Debian, image: Path, folder: Path) -> list[str]:
    """Return the command; QEMU_ACCEL=kvm is quicker, where a machine within a machine can have it.

    The CPU has no cmpxchg16b (cx16): with it, Linux 6.12 panics in __kmalloc under QEMU 7.2 in software.
    """
    accelerator = os.environ.get("QEMU_ACCEL", "tcg")
    (kernel,) = debian.path("/boot").glob("vmlinuz-*")
    (ram_disk,) = debian.path("/boot").glob("initrd.img-*")
    command = [
        *("qemu-system-x86_64", "-accel", accelerator, "-cpu", "max,la57=off,cx16=off", "-smp", "2", "-m"),
        *("2048", "-no-reboot"),
    ]
    command += ["-nographic", "-monitor", "none", "-nic", "none"]
    command += ["-kernel", str(kernel), "-initrd", str(ram_disk)]
    command += [
        "-append",
        "root=/dev/vda rw console=ttyS0 quiet loglevel=3 random.trust_cpu=on mitigations=off panic=-1",
    ]
    command += ["-drive", f"if=virtio,format=raw,cache=unsafe,file={image}"]
    return [*command, "-serial", f"file:{folder}/console", "-serial", f"file:{folder}/said"]
