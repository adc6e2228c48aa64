"""The typed grammar of startup.conf against the tables that are made from VPP's source: a difference is a fault."""

import pytest

from vppcfg.assets import find
from vppcfg.common.release import OLDEST, RELEASES, Release, release_of
from vppcfg.startup.conf.grammar import FORGIVING, GRAMMAR, STANZAS
from vppcfg.startup.conf.key import ANY
from vppcfg.startup.conf.plugin_names import is_in, is_off_by_default, plugins
from vppcfg.startup.conf.release_table import table_of
from vppcfg.startup.conf.review import TABLE, gone_since

IN_NO_PACKAGE = {"handoffdemo", "sample"}
"""Examples that stand outside of src/plugins, and are built by whoever wants them."""
CHOICES = {f"{key.name} {choice}": key.name for keys in GRAMMAR.values() for key in keys for choice in key.choices}


def words_of(block: str, release: Release) -> set[str]:
    """Return the words of a stanza, those in inner braces among them, as the tables have them."""
    known = [key for key in GRAMMAR[block] if key.is_known_to(release)]
    inner = [words_of(key.block, release) for key in known if key.block is not None and key.block in GRAMMAR]
    return {key.name for key in known if key.name != ANY}.union(*inner)


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_stanzas_are_those_of_the_source(release: Release) -> None:
    assert {name for name, key in STANZAS.items() if key.is_known_to(release)} == table_of(release).stanzas


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_words_of_every_stanza_are_those_of_the_source(release: Release) -> None:
    table = table_of(release)
    looked_into = [name for name, key in STANZAS.items() if key.block in GRAMMAR and name in table.stanzas]
    assert len(looked_into) > 30
    for name in looked_into:
        typed = words_of(name, release)
        read = {CHOICES[word] if CHOICES.get(word) in typed else word for word in table.keys.get(name, ())}
        assert typed == read, name


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_plugins_are_those_of_the_source(release: Release) -> None:
    table = table_of(release)
    assert {name for name in plugins() if is_in(name, release)} - IN_NO_PACKAGE == set(table.plugins)
    assert {name for name in table.plugins if is_off_by_default(name, release)} == table.off


def test_a_plugin_that_is_there_before_its_release_is_off_as_in_later_ones() -> None:
    assert not is_in("idpf", OLDEST) and is_off_by_default("idpf", OLDEST)
    assert is_off_by_default("quic", Release(25, 2)) and not is_off_by_default("quic", Release(25, 6))


def test_the_words_that_are_gone_are_in_no_supported_release_except_the_stanza_ip_which_came_back() -> None:
    rows = [line.split("\t") for line in find(TABLE).read_text().splitlines() if not line.startswith("#")]
    for release in RELEASES:
        table = table_of(release)
        for stanza, word, since in rows:
            assert release_of(since) <= OLDEST
            back = word in table.keys.get(stanza, ()) if word else stanza in table.stanzas
            assert not back or (stanza, word) == ("ip", ""), (stanza, word, release)
    assert gone_since("dpdk", "num-mbufs") == Release(19, 4)
    assert gone_since("dpdk", "vlan-strip-offload") == Release(22, 2)
    assert (gone_since("nat"), gone_since("dpdk", "dev")) == (Release(21, 1), None)


def test_memory_is_forgiving_from_the_release_on_that_lost_its_check() -> None:
    assert FORGIVING["memory"] == Release(26, 2)


def test_a_word_that_does_nothing_any_more_says_since_when() -> None:
    (key,) = [key for key in GRAMMAR["cpu"] if key.name == "numa-heap-size"]
    assert not key.is_ignored_by(Release(25, 10)) and key.is_ignored_by(Release(26, 2))
