"""sFlow's settings, as VPP takes them."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.sflow import SflowSettings

_STEP, _LEAST, _MOST = 32, 64, 256
"""VPP rounds the header bytes up to a multiple, within bounds (plugins/sflow/sflow.c)."""


def resolve(wanted: Wanted) -> None:
    """Set what the file says of sFlow; a VPP without the plugin is left alone unless the file needs it."""
    settings = wanted.configuration.sflow
    if "sflow" in wanted.observed.facts.plugins:
        rounded = -(-settings.header_bytes // _STEP) * _STEP
        wanted.sflow = replace(settings, header_bytes=min(max(rounded, _LEAST), _MOST))
    elif settings != SflowSettings():
        wanted.has_plugin("sflow", "plugin-missing", ("sflow",), "the file sets up sFlow")
