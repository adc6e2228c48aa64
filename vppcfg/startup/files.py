"""Renders the three files that `vppcfg startup` writes. Only words that VPP of the release knows come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg import assets
from vppcfg.common.numbers import cpu_text, size_text
from vppcfg.model.native_driver import NATIVE_DRIVERS, PORT
from vppcfg.record import record
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import Conf
from vppcfg.startup.settings import Device, Settings

STARTUP_CONF = "etc/vpp/startup.conf"
KERNEL_LINE = "etc/default/grub.d/60-vppcfg.cfg"
SYSCTL_CONF = "etc/sysctl.d/80-vppcfg.conf"
TEMPLATES: Mapping[str, str] = {
    STARTUP_CONF: "templates/startup.conf.j2",
    KERNEL_LINE: "templates/kernel.cfg.j2",
    SYSCTL_CONF: "templates/sysctl.conf.j2",
}
"""The template of each file, by its path below the root directory."""


@record
class DeviceLines:
    """A device as the template writes it."""

    address: str
    lines: tuple[str, ...]


@record
class NativeDeviceLines:
    """A device of one of VPP's own drivers as the template writes it, with the lines of its port."""

    address: str
    driver: str
    port: int
    lines: tuple[str, ...]


def render(settings: Settings) -> dict[str, str]:
    """Return the text of each file by its path below the root directory."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    environment.filters.update(size=size_text, cpus=cpu_text)
    values: dict[str, Any] = {
        "s": settings,
        "devices": [_lines_of(each, settings) for each in settings.devices if each.driver is None],
        "native_devices": [_native_lines(each, driver) for each in settings.devices if (driver := each.driver)],
    }
    return {
        path: environment.from_string(assets.find(template).read_text(encoding="utf-8")).render(values)
        for path, template in TEMPLATES.items()
    }


def conf_of(text: str, settings: Settings) -> Conf:
    """Return the tree of a rendered startup.conf; what VPP of that release does not know in it is a bug."""
    conf, problems = read_conf(text, settings.release)
    found = [*problems, *review(conf, settings.release)]
    assert not found, f"the templates write what VPP {settings.release} does not know: {found[0].text}"
    return conf


def _lines_of(device: Device, settings: Settings) -> DeviceLines:
    rx, tx = settings.default_descriptors
    lines = []
    if device.name is not None:
        lines.append(f"name {device.name}")
    if device.rx_queues > 1 or device.workers is not None:
        lines.append(f"num-rx-queues {device.rx_queues}")
    if device.tx_queues is not None:
        lines.append(f"num-tx-queues {device.tx_queues}")
    if device.rx_descriptors != rx:
        lines.append(f"num-rx-desc {device.rx_descriptors}")
    if device.tx_descriptors != tx:
        lines.append(f"num-tx-desc {device.tx_descriptors}")
    if device.workers is not None:
        lines.append(f"workers {cpu_text(device.workers)}")
    return DeviceLines(address=device.address, lines=tuple(lines))


def _native_lines(device: Device, driver: str) -> NativeDeviceLines:
    usual = NATIVE_DRIVERS[driver].descriptors
    lines = [f"name {device.name}"]
    if device.rx_queues > 1:
        lines.append(f"num-rx-queues {device.rx_queues}")
    if device.tx_queues is not None:
        lines.append(f"num-tx-queues {device.tx_queues}")
    if device.rx_descriptors != usual:
        lines.append(f"rx-queue-size {device.rx_descriptors}")
    if device.tx_descriptors != usual:
        lines.append(f"tx-queue-size {device.tx_descriptors}")
    return NativeDeviceLines(address=device.address, driver=driver, port=PORT, lines=tuple(lines))
