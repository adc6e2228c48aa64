"""Adopts several sources of one VPP together: its startup.conf, the scripts that it runs, and further ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.replay import ReadFile
from vppcfg.adopt.report import LineOutcome
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.adopt.second_opinion import AskVpp
from vppcfg.adopt.sources import Source, SourceKind
from vppcfg.adopt.startup_conf import AdoptedConf, adopt_conf
from vppcfg.common.numbers import cpus_of
from vppcfg.errors import UsageError
from vppcfg.model.interface import DEVICE_TYPES, Interface, InterfaceKind


def adopt_sources(
    sources: Sequence[Source],
    setup: ReplaySetup,
    read_file: ReadFile,
    rest_file: str | None = None,
    ask: AskVpp | None = None,
) -> Adoption:
    """Return what happens to all sources. A script that startup.conf names runs before the others, and once.

    A real VPP is asked only without a startup.conf, which may set up what a script needs.

    Raise UsageError for two files of which a VPP has one, and AdoptionError as `adopt_scripts` does.
    """
    confs = [source for source in sources if source.kind is SourceKind.STARTUP]
    if len(confs) > 1:
        raise UsageError(f"{confs[0].name} and {confs[1].name} are both a startup.conf: one VPP has one", "adopt one")
    scripts = [Script(name=source.name, text=source.text) for source in sources if source.kind is SourceKind.SCRIPT]
    if not confs:
        return adopt_scripts(scripts, setup, read_file, rest_file=rest_file, ask=ask)
    conf = adopt_conf(confs[0].name, confs[0].text, setup.release)
    scripts = [*_started(conf, scripts, read_file), *scripts]
    return adopt_scripts(scripts, setup_with(setup, conf), read_file, conf.settings, conf.lines, rest_file)


def setup_with(setup: ReplaySetup, conf: AdoptedConf) -> ReplaySetup:
    """Return what scripts run on with a startup.conf: the ports that it names, unless a running VPP reports them."""
    workers = conf.settings.get("cpu", {}).get("workers", 0)
    count = workers if isinstance(workers, int) else len(cpus_of(workers))
    setup = replace(
        setup, lcp=conf.lcp, plugins=conf.plugins, workers=count if setup.workers is None else setup.workers
    )
    if setup.is_running:
        return setup
    ports = [
        Interface(
            name=name,
            kind=InterfaceKind.PHYSICAL,
            device_class=DEVICE_TYPES[kind].device_class,
            link_mtu=DEVICE_TYPES[kind].link_mtu,
            packet_mtu=DEVICE_TYPES[kind].packet_mtu,
        )
        for name, kind in conf.names.items()
    ]
    return replace(setup, ports=ports, may_assume=not conf.names_all)


def _started(conf: AdoptedConf, given: Sequence[Script], read_file: ReadFile) -> Iterator[Script]:
    """Yield the scripts that startup.conf has VPP run and that are not given besides; one not to be had is a fault."""
    known = {os.path.basename(script.name) for script in given}
    for line in conf.scripts:
        name = line.text.split()[-1]
        if os.path.basename(name) in known:
            continue
        found = read_file(name, line.source)
        if found is None:
            text = f"{name} cannot be read here, and its commands are not known: name it with --from"
            line.set_outcome(LineOutcome.FAULT, text, "adopt-exec")
        else:
            yield Script(name=found[0], text=found[1])
