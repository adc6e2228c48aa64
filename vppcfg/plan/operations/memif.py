"""Memifs and the sockets that they meet others at (plugins/memif)."""

from __future__ import annotations

from vppcfg.model.memif import BUILT_IN_SOCKET, Memif, memif_numbers
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import Operation
from vppcfg.plan.operations.port import CreatePort, DeletePort
from vppcfg.record import record


def _socket_of(name: str) -> int | None:
    numbers = memif_numbers(name)
    return None if numbers is None else numbers[0]


@record
class MemifSocketOperation(Operation):
    """An operation on one socket."""

    socket_id: int

    @property
    def subject(self) -> str:
        """Return what the socket goes by."""
        return f"memif socket {self.socket_id}"


@record
class CreateMemifSocket(MemifSocketOperation):
    """memif_socket_filename_add_del: give a file a number, by which memifs at it go."""

    file: str

    def _refusal(self, draft: Draft) -> str | None:
        found = draft.memif_sockets.get(self.socket_id, self.file)
        return f"memif socket {self.socket_id} is {found}" if found != self.file else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the socket."""
        draft.memif_sockets[self.socket_id] = self.file


@record
class DeleteMemifSocket(MemifSocketOperation):
    """memif_socket_filename_add_del: forget a socket that no memif is at."""

    def _refusal(self, draft: Draft) -> str | None:
        if self.socket_id not in draft.memif_sockets:
            return f"there is no memif socket {self.socket_id}"
        held = next((name for name in draft.made if _socket_of(name) == self.socket_id), None)
        return f"{held} is at memif socket {self.socket_id}" if held else None

    def carry_out(self, draft: Draft) -> None:
        """Take the socket out."""
        del draft.memif_sockets[self.socket_id]


@record
class CreateMemif(CreatePort):
    """memif_create_v2: make `memifSOCKET/ID`, born down, at a socket where all others have the same role."""

    port: Memif

    def _refusal(self, draft: Draft) -> str | None:
        numbers = memif_numbers(self.interface)
        if numbers is None:
            return f"{self.interface} is no name of a memif"
        socket_id, _ = numbers
        if socket_id != BUILT_IN_SOCKET and draft.memif_sockets.get(socket_id) != self.port.socket:
            return f"there is no memif socket {socket_id} at {self.port.socket}"
        for name, made in draft.made.items():
            if isinstance(made, Memif) and made.role is not self.port.role and _socket_of(name) == socket_id:
                return f"{name} at the same socket is a {made.role.value}"
        return None


@record
class DeleteMemif(DeletePort):
    """memif_delete: remove a memif; its socket stays."""

    making = Memif

    port: Memif
