"""Laws of upgrades: both ways are judged alike, a way is the sum of its parts, and what is not told does not happen."""

from functools import cache
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from vppcfg.common.release import RELEASES, Release, release_of
from vppcfg.config.load import parse_text
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.simulator.releases import RELEASES as SIMULATED
from vppcfg.upgrade.finding import ReleaseChange, Weight
from vppcfg.upgrade.judging import judge_upgrade
from vppcfg.upgrade.notes import NOTES
from vppcfg.upgrade.rehearsal import BootRehearsal, rehearse
from vppcfg.upgrade.subject import NamedText, UpgradeSubject, subject_of

FILES = sorted((Path(__file__).parents[1] / "live" / "configurations").glob("*.yaml"))
WITHOUT_SECRETS = [file for file in FILES if "wireguards:" not in file.read_text()]
"""A boot reads the keys that a file names."""
UNIX = "unix { nodaemon cli-listen /run/vpp/cli.sock }\n"
PLUGINS = "acl af_packet dhcp dpdk gre lacp linux_cp linux_nl lldp memif mss_clamp sflow urpf vhost vxlan"
NAMED = " ".join(f"plugin {name}_plugin.so {{ enable }}" for name in PLUGINS.split(" "))
STARTUPS = {
    "nothing named": UNIX,
    "linux_cp": UNIX + "plugins { plugin linux_cp_plugin.so { enable } plugin linux_nl_plugin.so { enable } }\n",
    "all others off": f"{UNIX}plugins {{ plugin default {{ disable }} {NAMED} }}\n",
    "all others off, but what is new": f"{UNIX}plugins {{ plugin default {{ disable }} {NAMED} "
    "plugin tap_plugin.so { enable } plugin ipip_plugin.so { enable } }\n",
    "gone words": UNIX + "heapsize 1G\ntap { host-mtu 1500 }\nplugins { plugin linux_cp_plugin.so { enable } }\n",
}


@cache
def subject(file: Path, startup: str) -> UpgradeSubject:
    loaded = parse_text(file.read_bytes(), str(file))
    assert loaded.configuration is not None
    return subject_of(loaded, loaded.configuration, startup=NamedText(name="startup.conf", text=STARTUPS[startup]))


def noted(one: UpgradeSubject, old: Release, new: Release) -> set[tuple[str, Weight, tuple[str, ...]]]:
    change = ReleaseChange(old=old, new=new)
    found = (finding for note in NOTES for finding in note.findings(one, change))
    return {(finding.rule, finding.weight, finding.objects) for finding in found}


@pytest.mark.parametrize("startup", ["nothing named", "linux_cp"])
def test_behaviour_is_told_alike_both_ways_and_a_way_is_the_sum_of_its_parts(startup: str) -> None:
    for file in FILES[::3]:
        one = subject(file, startup)
        whole = set()
        for old, new in pairwise(RELEASES):
            found = noted(one, old, new)
            assert found == noted(one, new, old)
            whole |= found
        assert whole == noted(one, RELEASES[0], RELEASES[-1])


@pytest.mark.parametrize("startup", STARTUPS)
def test_a_release_to_itself_has_no_findings(startup: str) -> None:
    for release in RELEASES[::3]:
        assert not judge_upgrade(subject(FILES[2], startup), ReleaseChange(old=release, new=release))


@cache
def rehearsed(file: Path, startup: str, release: Release) -> BootRehearsal:
    """Rehearse a boot on a release, whatever ran before."""
    change = ReleaseChange(old=release, new=release)
    return rehearse(subject(file, startup), change, SourceFiles(names=(str(file),)), None)


def judged_pairs(file: Path, startup: str, releases: list[Release]) -> int:
    """Hold that what booted on one release boots on another one just when nothing that stops it was told.

    Return how many pairs of releases that was about.
    """
    judged = 0
    for old, new in permutations(releases, 2):
        if rehearsed(file, startup, old).failure:
            continue
        findings = judge_upgrade(subject(file, startup), ReleaseChange(old=old, new=new))
        stops = [finding.text for finding in findings if finding.weight is Weight.STOPS]
        failure = rehearsed(file, startup, new).failure
        assert bool(stops) == bool(failure), (str(old), str(new), stops, failure)
        judged += 1
    return judged


def test_what_is_not_told_does_not_happen() -> None:
    (routed,) = [file for file in FILES if file.stem == "03_routed"]
    assert judged_pairs(routed, "all others off", [Release(25, 10), Release(26, 6)]) == 1


@pytest.mark.long
@pytest.mark.parametrize("file", WITHOUT_SECRETS, ids=lambda file: file.stem)
def test_what_is_not_told_does_not_happen_between_any_two_releases(file: Path) -> None:
    releases = [release_of(simulated.name) for simulated in SIMULATED]
    assert sum(judged_pairs(file, startup, releases) for startup in STARTUPS) > 0
