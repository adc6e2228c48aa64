"""Operations on the sockets at which memifs meet other programs: files with a number each (plugins/memif)."""

from __future__ import annotations

from vppcfg.model.memif import memif_numbers
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record

_ADD_DEL_SOCKET = "memif_socket_filename_add_del"


def socket_of(name: str) -> int | None:
    """Return the number of the socket of a memif, which is in the name; None for any other name."""
    numbers = memif_numbers(name)
    return None if numbers is None else numbers[0]


@record
class MemifSocketOperation(Operation):
    """An operation on one socket."""

    socket_id: int

    @property
    def subject(self) -> str:
        """Return the name of the socket."""
        return f"memif socket {self.socket_id}"


@record
class CreateMemifSocket(MemifSocketOperation):
    """memif_socket_filename_add_del: give a file a number, by which memifs at it go."""

    file: str

    def _refusal(self, working: WorkingState) -> str | None:
        found = working.memif_sockets.get(self.socket_id, self.file)
        return f"memif socket {self.socket_id} is {found}" if found != self.file else None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the socket."""
        working.memif_sockets[self.socket_id] = self.file

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ADD_DEL_SOCKET, {"is_add": 1, "socket_id": self.socket_id, "socket_filename": self.file})

    def cli(self) -> str:
        """Return the command (plugins/memif/cli.c)."""
        return f"create memif socket id {self.socket_id} filename {self.file}"


@record
class DeleteMemifSocket(MemifSocketOperation):
    """memif_socket_filename_add_del: forget a socket that no memif is at."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.socket_id not in working.memif_sockets:
            return f"there is no memif socket {self.socket_id}"
        held = next((name for name in working.virtual if socket_of(name) == self.socket_id), None)
        return f"{held} is at memif socket {self.socket_id}" if held else None

    def apply_to(self, working: WorkingState) -> None:
        """Take the socket out."""
        del working.memif_sockets[self.socket_id]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ADD_DEL_SOCKET, {"is_add": 0, "socket_id": self.socket_id})

    def cli(self) -> str:
        return f"delete memif socket id {self.socket_id}"
