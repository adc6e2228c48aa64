"""Finds out whether others than root and the user can have written a configuration.

Whoever may write to VPP's socket controls VPP. The machine around it is not theirs: of what another user can have
written no program is run, no file of a routing daemon loaded, and no key read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vppcfg.config.load import Loaded, source_of
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import STDIN_NAMES, can_be_read_again
from vppcfg.errors import UntrustedFileError
from vppcfg.model.programs import Program
from vppcfg.transaction.safe_open import read_named, refuse_foreign_pipe

_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")
"""Pipes that whoever runs vppcfg has opened for it, as bash does for `<(...)`."""


def refuse_foreign(
    configuration: Configuration, loaded: Loaded, programs: Sequence[Program], *, reads_keys: bool = False
) -> None:
    """Raise UntrustedFileError when a configuration acts on the machine itself and others can have written it."""
    parts = [*dict.fromkeys(program.event for program in programs), *(["routing"] if configuration.routing else [])]
    parts += ["files of keys"] if reads_keys else []
    if parts and (reason := foreign_reason(loaded)):
        raise UntrustedFileError(
            f"{reason}, and its {', '.join(parts)} would act on this machine, not on VPP alone; nothing was changed",
            "let nobody but root and yourself write the file and the folders above it",
        )


def foreign_reason(loaded: Loaded) -> str:
    """Return why others than root, the user and who called sudo can have written a file; '' when they cannot.

    What is piped in comes from who runs the command, and a text without a file from the program that has it.
    """
    if loaded.foreign or loaded.files is None:
        return loaded.foreign
    try:
        if loaded.files.can_be_read_again:
            return "" if source_of(loaded.files, _read) == loaded.source else f"{loaded.name} has changed meanwhile"
        for name in loaded.files.each():
            if can_be_read_again(name):
                _read(name)
            elif name not in STDIN_NAMES and not name.startswith(_DESCRIPTORS):
                refuse_foreign_pipe(Path(name))
    except UntrustedFileError as error:
        return error.message
    return ""


def _read(name: str) -> bytes:
    return read_named(Path(name))
