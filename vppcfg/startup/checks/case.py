"""What each check of a file against a machine receives, and the paths of the keys that it reports about."""

from __future__ import annotations

from vppcfg.entries.configuration import Configuration
from vppcfg.model.dataplane import DataplaneSection
from vppcfg.model.host import Host
from vppcfg.model.problem import KeyPath
from vppcfg.record import record
from vppcfg.startup.settings import Device, Settings


@record
class Case:
    """A file, a machine, and the settings that were derived from both."""

    configuration: Configuration
    host: Host
    settings: Settings

    @property
    def section(self) -> DataplaneSection:
        """Return the section, an empty one when the file has none."""
        return self.configuration.dataplane or DataplaneSection()


def at(*keys: str) -> KeyPath:
    """Return the path of a key of the section."""
    return ("dataplane", *keys)


def device_key(device: Device, key: str, case: Case) -> KeyPath:
    """Return the path of a device's key, that of the default when only that is in the file."""
    own = (*device.path, key)
    if device.driver is None and own[1:] not in case.section.given and ("dpdk", "default", key) in case.section.given:
        return at("dpdk", "default", key)
    return own
