"""Routing daemons whose configuration belongs to that of the router: FRR and BIRD."""

from __future__ import annotations

from enum import Enum

from vppcfg.record import record

LEAST_WITHIN_S, MOST_WITHIN_S = 1, 600
"""Bounds of how long a daemon may take to load a configuration."""
DEFAULT_WITHIN_S = 60


class DaemonKind(Enum):
    """Which daemon it is; each value is its key in the file."""

    FRR = "frr"
    BIRD = "bird"

    @property
    def title(self) -> str:
        """Return what people call it."""
        return self.value.upper()


@record
class RoutingFile:
    """What a daemon is to be configured with, and how it is reached."""

    kind: DaemonKind
    path: str
    """The file of its configuration; vppcfg reads it, the daemon does not."""
    startup: str
    """The file that the daemon reads when it starts; vppcfg writes it when a change is accepted."""
    pathspace: str = ""
    """Of FRR: the name of another instance on the machine (`-N`)."""
    socket: str = ""
    """Of BIRD: its control socket."""
    within_s: int = DEFAULT_WITHIN_S

    @property
    def instance(self) -> tuple[DaemonKind, str, str]:
        """Return what distinguishes the daemon from others on the machine."""
        return self.kind, self.pathspace, self.socket


@record
class RoutingTexts:
    """The configurations of a daemon around one change, as the journal keeps them."""

    file: RoutingFile
    before: str
    """What the daemon ran."""
    after: str
    """What the change loads."""
    startup_before: str
    """What the daemon's startup file held; '' when there was none."""
    startup_after: str
    """What it holds once the change is accepted; '' leaves it as it is."""

    @property
    def is_changing(self) -> bool:
        """Return whether the daemon has to load anything."""
        return self.before != self.after


@record
class JournalledRouting:
    """What the journal has of all daemons around one change."""

    texts: tuple[RoutingTexts, ...] = ()
