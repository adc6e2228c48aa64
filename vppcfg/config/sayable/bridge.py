"""Bridge domains that the configuration language cannot say."""

from __future__ import annotations

from vppcfg.config.names import is_bridge_name
from vppcfg.model.bridge import Bridge, bridge_name
from vppcfg.model.ownership import is_foreign

MAX_AGE = 255


def why_bridge_unsayable(name: str, bridge: Bridge) -> str | None:
    """Return why the bridge domain cannot be configured as it is."""
    if not is_bridge_name(name) or bridge_name(bridge.bd_id) != name or bridge.bd_id == 0:
        return "it has a number that the configuration does not allow"
    if is_foreign(bridge.tag):
        return f'its tag says that it is somebody else\'s: "{bridge.tag}"'
    if not 0 <= bridge.settings.mac_age_minutes <= MAX_AGE:
        return f"its addresses are kept for {bridge.settings.mac_age_minutes} minutes"
    return None
