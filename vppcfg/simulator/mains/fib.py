"""FIB tables of one family (vnet/ip/ip_api.c)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class FibTable:
    """One table; it exists while the API asked for it or an interface is in it."""

    name: bytes
    is_wanted: bool = True


@dataclass(slots=True, kw_only=True)
class FibMain:
    """All tables by id, in the order in which they were made; the first one is never deleted."""

    family: str
    tables: dict[int, FibTable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make table 0."""
        self.make(0, b"")

    def make(self, table_id: int, name: bytes) -> None:
        """Make a table, with VPP's name unless one is given, or want one that is there."""
        known = self.tables.get(table_id)
        if known is None:
            self.tables[table_id] = FibTable(name=name or f"{self.family}-VRF:{table_id}".encode())
        else:
            known.is_wanted = True
