"""The configuration file that `vppcfg watch` compares VPP with: loads it, and again when it changes or on request."""

from __future__ import annotations

import gc
import logging
import os

from vppcfg.app.console import Console
from vppcfg.app.loading import load_configuration
from vppcfg.config.load import Loaded
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ConfigError, VppcfgError

log = logging.getLogger(__name__)

Signature = tuple[tuple[str, int, int, int], ...]


class WatchedFile:
    """A configuration file, or several merged, in its last valid content."""

    def __init__(self, files: SourceFiles, console: Console) -> None:
        """Load the file. Raise ConfigError when it is not valid."""
        self.name = str(files)
        self._files = files
        self._console = console
        self._is_reload_requested = False
        self._is_rereadable = files.can_be_read_again
        self._loaded_as = self._seen_as = self._signature()
        self.configuration, self.loaded = self._load()

    def request_reload(self) -> None:
        """Have the file loaded again, changed or not; a pipe cannot be read again."""
        self._is_reload_requested = self._is_rereadable

    def is_reload_due(self) -> bool:
        """Return whether the file must be loaded again; call it about once a second.

        A file that changes between two calls is still being written, and half a file may be valid.
        """
        before, self._seen_as = self._seen_as, self._signature()
        return self._is_reload_requested or (self._seen_as != self._loaded_as and self._seen_as == before)

    def has_changed(self) -> bool:
        """Return whether the file on disk is not the one that was loaded."""
        return self._signature() != self._loaded_as

    def reload(self) -> None:
        """Load the file again. Raise ConfigError when it is not valid or vppcfg fails; the last valid content stays."""
        self._is_reload_requested = False
        self._loaded_as = self._seen_as = self._signature()
        if not self._files.can_be_read_again:  # opening a pipe blocks until there is a writer
            raise ConfigError(f"{self.name} is a pipe now, which is not read again", "put a file in its place")
        try:
            self.configuration, self.loaded = self._load()
        except VppcfgError:
            raise
        except Exception as error:  # a bug in vppcfg must not end the watch
            log.debug("Here the internal error arose:", exc_info=error)
            text = f"{self.name} cannot be read because of a bug in vppcfg, {type(error).__name__}: {error}"
            raise ConfigError(text, "please report it together with the file") from error
        finally:
            gc.collect()  # a failed load leaves reference cycles, and the collector seldom runs here

    def _load(self) -> tuple[Configuration, Loaded]:
        return load_configuration(self._files, self._console)

    def _signature(self) -> Signature | None:
        """Return inode, size and time of change of each file; None without a file."""
        if not self._is_rereadable:
            return None
        try:
            return tuple(_signature(name) for name in self._files.each())
        except (OSError, ConfigError):
            return None


def _signature(name: str) -> tuple[str, int, int, int]:
    status = os.stat(name)
    return name, status.st_ino, status.st_size, status.st_mtime_ns
