"""Routers for the tests of upgrades, made from texts."""

from collections.abc import Collection

from vppcfg.common.release import release_of
from vppcfg.config.load import parse_text
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding
from vppcfg.upgrade.judging import judge_upgrade
from vppcfg.upgrade.subject import NamedText, UpgradeSubject, subject_of

PLAIN = "interfaces:\n  GigabitEthernet1/0/0: { mtu: 1500, device-type: memif }\n"
"""A router that nothing is special about; nothing is said of its startup.conf."""
ALL_ON = "unix { nodaemon cli-listen /run/vpp/cli.sock }\ncpu { main-core 0 }\nmemory { main-heap-size 1G }\n"


def router(
    text: str = PLAIN, startup: str | None = None, script: str = "", packages: Collection[str] | None = None
) -> UpgradeSubject:
    loaded = parse_text(text, "router.yaml")
    assert loaded.configuration is not None, loaded.problems
    return subject_of(
        loaded,
        loaded.configuration,
        startup=None if startup is None else NamedText(name="startup.conf", text=startup),
        scripts=(NamedText(name="boot.vpp", text=script),) if script else (),
        packages=packages,
    )


def change(old: str, new: str) -> ReleaseChange:
    """Return the way from one release to another."""
    return ReleaseChange(old=release_of(old), new=release_of(new))


def findings(subject: UpgradeSubject, old: str, new: str) -> dict[str, UpgradeFinding]:
    """Return what is found, by rule."""
    return {finding.rule: finding for finding in judge_upgrade(subject, change(old, new))}
