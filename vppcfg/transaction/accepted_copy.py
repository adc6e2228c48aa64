"""The second copy of the state that was accepted last, which a boot applies when the journal is damaged.

It lies beside the folder of the journal, so that whatever damages that folder leaves the copy alone.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from vppcfg.common.documents import build, plain
from vppcfg.errors import UntrustedFileError
from vppcfg.model.state import State
from vppcfg.plan.state_document import state_of
from vppcfg.record import record
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.entry import Entry, check_forms
from vppcfg.transaction.safe_open import read_with_origin
from vppcfg.transaction.signed_document import sealed, unsealed

COPY_NAME = "accepted.json"
"""The file in the folder of a journal entry that becomes the copy when the change is accepted."""
COPY_KEYS_NAME = "accepted.keys"
"""Likewise, with the secret keys of that state."""
_KIND = "accepted state"
_FORMAT_VERSION = 1
_log = logging.getLogger(__name__)


@record
class Accepted:
    """The second copy of what was accepted last."""

    entry: Entry
    document: Mapping[str, Any]
    """The state that the change was made for, as a state document."""
    is_own: bool = True
    """Whether root or the user has written it."""

    def state(self) -> State:
        """Return the state that the change was made for, as a journal does. Raise ValueError where it is none."""
        state = state_of(self.document)
        return state if self.is_own else without_linux(state)


def without_linux(state: State) -> State:
    """Return a state without what others had set in Linux."""
    return replace(state, unmanaged=tuple(each for each in state.unmanaged if each.linux is None))


def sealed_copy(entry: Entry, document: Mapping[str, Any]) -> bytes:
    """Return the bytes of the copy that a change will be when it is accepted; `document` is its state."""
    return sealed(_KIND, _FORMAT_VERSION, {"entry": plain(entry), "document": document})


class AcceptedCopy:
    """The copy of one journal."""

    def __init__(self, path: Path) -> None:
        """Use a file, which need not be there."""
        self._path = path

    @property
    def keys_path(self) -> Path:
        """Return the file with the keys of the copy, which is there when it has any."""
        return self._path.with_name(f"{self._path.name}.keys")

    def read(self, group: Callable[[], int]) -> Accepted | None:
        """Return its content; None, with a warning, when it cannot be read.

        `group` returns the group of the journal, which may write the copy too without making it suspect.
        """
        if not self._path.exists():
            return None
        try:
            file = read_with_origin(self._path, group())
            accepted = build(Accepted, unsealed(file.data, _KIND, _FORMAT_VERSION, str(self._path)), "the copy")
            check_forms(accepted.entry)
        except (TypeError, ValueError) as error:
            _log.warning("%s is no copy of what was accepted last: %s", self._path, error)
        except (UntrustedFileError, OSError) as error:
            _log.warning("The copy of what was accepted last cannot be read: %s", error)
        else:
            return replace(accepted, is_own=not file.foreign)
        return None

    def take_over(self, entry: Directory, number: int) -> None:
        """Let the copy that was written with an entry be that of what was accepted last.

        This goes before the entry's outcome, so that the copy is never older than what the entries record.
        """
        if COPY_NAME not in entry.names():
            return  # a rollback by a timer accepts nothing, and what was accepted keeps its keys
        try:
            with Directory.trusted(self._path.parent, os.fstat(entry.descriptor).st_gid) as folder:
                if COPY_KEYS_NAME in entry.names():
                    entry.rename(COPY_KEYS_NAME, self.keys_path.name, folder)
                else:
                    with suppress(FileNotFoundError):
                        folder.unlink(self.keys_path.name)
                entry.rename(COPY_NAME, self._path.name, folder)
                folder.sync()
        except (OSError, UntrustedFileError) as error:
            reason = error.strerror if isinstance(error, OSError) else error.message
            _log.warning("There is no second copy of what was accepted with change %d: %s", number, reason)
