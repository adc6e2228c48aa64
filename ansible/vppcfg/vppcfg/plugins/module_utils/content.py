# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The configuration that a module is given, as a file that vppcfg can read."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile


def content_arguments():
    """Return the arguments that name a configuration."""
    return {"content": {"type": "raw"}, "src": {"type": "path"}}


def text_of(content):
    """Return a configuration as text; a mapping as JSON, which is YAML too."""
    if isinstance(content, str):
        return content
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


class ConfigFile:
    """A file with the configuration, which lives as long as the context."""

    def __init__(self, module):
        self._module = module
        self._temporary = ""

    def __enter__(self):
        """Return its name: that of `src`, or of a file of mode 0600 with `content`."""
        params = self._module.params
        if params["src"]:
            return params["src"]
        handle, self._temporary = tempfile.mkstemp(prefix="vppcfg-", suffix=".yaml", dir=self._module.tmpdir)
        with os.fdopen(handle, "wb") as stream:
            stream.write(text_of(params["content"]).encode("utf-8"))
        return self._temporary

    def __exit__(self, *reason):
        """Remove what was written."""
        if self._temporary:
            os.unlink(self._temporary)


def digest_of(path):
    """Return the SHA-256 of a file, '' when there is none."""
    try:
        with open(path, "rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except FileNotFoundError:
        return ""
