"""startup.conf as a tree: reading, writing, comparing, reviewing and updating it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vppcfg.common.release import NEWEST, OLDEST, Release
from vppcfg.startup.conf.grammar import GRAMMAR, PLUGIN_OF, STANZAS
from vppcfg.startup.conf.key import OPAQUE
from vppcfg.startup.conf.plugin_review import lost_plugins
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import Conf, conf_text, kept_stanzas, update
from vppcfg.startup.file_difference import differences, meaning


def read(text: str, release: Release = NEWEST) -> Conf:
    conf, problems = read_conf(text, release)
    assert problems == ()
    return conf


def problems_of(text: str, release: Release = NEWEST) -> list[tuple[str, int]]:
    conf, problems = read_conf(text, release)
    return [(problem.rule, problem.line) for problem in (*problems, *review(conf, release))]


def test_line_ends_mean_nothing() -> None:
    one = "unix { nodaemon cli-listen /run/vpp/cli.sock } cpu { main-core 1 }"
    assert meaning(read(one)) == meaning(read(one.replace(" ", "\n")))
    assert meaning(read(one)) == meaning(read(one.replace(" ", " \r\n\t")))


def test_what_only_looks_like_a_blank_is_a_part_of_the_word() -> None:
    for blank in "\xa0\u2003\v\f\x1c\x85":
        assert problems_of(f"cpu {{ main-core{blank}1 }}") == [("conf-passed-over", 1)], blank
        assert problems_of(f"unix {{\n{blank} nodaemon\n}}") == [("conf-unknown", 2)], blank


def test_comments_keep_their_places() -> None:
    text = "# head\nunix {  # opens\n  # above\n  nodaemon  # beside\n  # below\n}\n\ncpu {\n  relative\n}\n\n# end\n"
    written = conf_text(read(text))
    assert written == text.replace("unix {  # opens", "# opens\nunix {")
    assert conf_text(read(written)) == written


def test_a_stanza_given_twice_is_strung_together() -> None:
    assert meaning(read("cpu { main-core 1 } cpu { workers 2 }")) == meaning(read("cpu { main-core 1 workers 2 }"))


def test_a_hash_inside_a_word_depends_on_the_release() -> None:
    text = "unix { cli-prompt vpp#1 }\ncpu { main-core 1 }"
    assert meaning(read(text, Release(25, 10)))["unix", "cli-prompt"] == "vpp#1"
    assert problems_of(text, Release(26, 2)) == [("conf-unclosed", 1)]


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("unix { nodaemon } }", "conf-syntax", 1),
        ("{ nodaemon }", "conf-syntax", 1),
        ("unix { { } }", "conf-syntax", 1),
        ("unix", "conf-syntax", 1),
        ("unix { nodaemon }\nstatseg {\n  size\n}", "conf-syntax", 3),
        ("a\n{ b\0c }", "conf-syntax", 2),
        ("plugins { plugin { enable } }", "conf-syntax", 1),
        ("unix { nodaemon } cpu", "conf-syntax", 1),
        ("unix { nodaemon", "conf-unclosed", 1),
        ("\nunix {\n  nodaemon\n\ncpu { main-core 1 }\n", "conf-unclosed", 2),
        ("dpdk { dev 0000:01:00.0 {", "conf-unclosed", 1),
        ("logging {\n class x { level debug }\n", "conf-unclosed", 1),
        ("npol-plugin {\n x {\n", "conf-unclosed", 1),
    ],
)
def test_what_is_not_balanced_is_shown_with_the_line_where_it_begins(text: str, rule: str, line: int) -> None:
    conf, problems = read_conf(text, NEWEST)
    assert [(problem.rule, problem.line) for problem in problems] == [(rule, line)]
    assert conf.stanzas == ()


def test_deep_braces_end_in_a_problem_and_not_in_a_crash() -> None:
    assert problems_of("npol-plugin " + "{ a " * 20000 + "} " * 20000) == []
    assert problems_of("npol-plugin " + "{ a " * 20000) == [("conf-unclosed", 1)]


def test_size_counts_without_comments() -> None:
    assert problems_of("unix { nodaemon }\n" + "# padding\n" * 40000) == []
    assert problems_of("node { " + "padding " * 40000 + "}") == [("conf-too-large", 1)]


@settings(deadline=None)
@given(st.text(alphabet="unixcpu {}#\n-main-core1", max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    conf, problems = read_conf(text, NEWEST)
    assert problems or conf_text(conf) is not None
    if not problems and "#" not in text:
        assert meaning(read(conf_text(conf))) == meaning(conf)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("memory { main-heap-size 1024M }", "memory { main-heap-size 1G }"),
        ("cpu { main-core 0 corelist-workers 1,2,3 }", "cpu { main-core 0 corelist-workers 1-3 }"),
        ("unix { startup-config /a }", "unix { exec /a }"),
        ("dpdk { dev 0000:0A:00.0 }", "dpdk { dev 0000:0a:00.0 { } }"),
        ("unix { nodaemon full-coredump }", "unix { full-coredump nodaemon }"),
    ],
)
def test_two_spellings_mean_the_same(before: str, after: str) -> None:
    assert differences(read(before), read(after)) == ()


def test_differences_name_place_and_values() -> None:
    found = differences(read("cpu { main-core 1 workers 2 }"), read("cpu { main-core 2 relative }"))
    assert [(one.place, one.before, one.after) for one in found] == [
        ("cpu main-core", "1", "2"),
        ("cpu relative", None, ""),
        ("cpu workers", "2", None),
    ]


NEW_OF_PORTS = "rss-lut 0,1,0,1 rx-queue-assignment queue-per-thread"


@pytest.mark.parametrize(
    ("text", "release", "rules"),
    [
        ("heapsize 1G", Release(25, 10), []),
        ("heapsize 1G", Release(26, 2), ["conf-removed"]),
        ("interface { default-rx-mode polling }", Release(26, 2), ["conf-removed"]),
        ("interface { default-rx-mode polling }", Release(26, 6), []),
        ("tap { host-mtu 1500 }", Release(25, 10), []),
        ("tap { x }", Release(26, 2), ["conf-removed"]),
        ("ikev2 { x }", Release(24, 6), ["conf-removed"]),
        ("nat { translation hash buckets 1024 }", OLDEST, ["conf-removed"]),
        ("buffers { numa 0 { buffers 1 } }", Release(24, 6), ["conf-removed"]),
        ("buffers { numa 0 { buffers 1 } }", Release(24, 10), []),
        ("dpdk { num-mbufs 1 }", OLDEST, ["conf-removed"]),
        ("dpdk { dev 0000:01:00.0 { hqos } }", OLDEST, ["conf-removed"]),
        ("dpdk { dev 0000:01:00.0 { rss { ipv4 } name x } }", OLDEST, []),
        ("cpu { main-core 0 workers 1 }", OLDEST, []),
        ("unix { nodeamon }", OLDEST, ["conf-unknown"]),
        (f"devices {{ dev pci/0000:01:00.0 {{ port 0 {{ {NEW_OF_PORTS} }} }} }}", Release(26, 10), []),
        (f"devices {{ dev pci/0000:01:00.0 {{ port 0 {{ {NEW_OF_PORTS} }} }} }}", Release(26, 6), ["conf-removed"] * 2),
    ],
)
def test_keys_are_known_from_and_until_a_release(text: str, release: Release, rules: list[str]) -> None:
    assert [rule for rule, _ in problems_of(text, release)] == rules


def test_a_misspelt_key_gets_a_hint() -> None:
    (problem,) = review(read("unix { nodeamon }"), NEWEST)
    assert problem.text.endswith("did you mean `nodaemon`?")


def test_every_block_of_the_grammar_exists_and_is_used() -> None:
    blocks = {key.block for keys in GRAMMAR.values() for key in keys} | {key.block for key in STANZAS.values()}
    assert blocks - {None, OPAQUE} == set(GRAMMAR)
    assert set(PLUGIN_OF) <= set(STANZAS)


def test_a_stanza_of_a_plugin_that_is_off_is_found() -> None:
    conf = read("nsim { delay 1 }\nacl-plugin { x }")
    assert [p.line for p in lost_plugins(conf, ("nsim", "acl-plugin"), ("acl",))] == [1]


def test_what_is_not_managed_survives_an_update() -> None:
    existing = read("unix { nodaemon cli-prompt edge# }\nlogging { a }\nheapsize 2G\n", Release(25, 2))
    generated = read("unix { nodaemon gid vpp }\nmemory { main-heap-size 1G }\n")
    assert kept_stanzas(existing, generated) == ("logging",)
    values = meaning(update(existing, generated))
    assert values["unix", "cli-prompt"] == "edge#"
    assert values["unix", "gid"] == "vpp"
    assert ("heapsize",) not in values


def test_a_choice_of_the_existing_file_stays() -> None:
    updated = update(read("socksvr { socket-name /a }"), read("socksvr { default }"))
    assert meaning(updated) == {("socksvr", "socket-name"): "/a"}


def test_a_managed_key_goes_and_its_comments_stay() -> None:
    updated = conf_text(update(read("cpu {\n  # four of them\n  workers 4\n}"), read("cpu { main-core 1 }")))
    assert "workers" not in updated
    assert "# four of them" in updated


def test_what_an_operator_says_of_a_device_stays() -> None:
    existing = read("dpdk { dev 0000:01:00.0 { devargs a=1 num-rx-queues 7 } dev 0000:09:00.0 }")
    updated = update(existing, read("dpdk { dev 0000:01:00.0 { num-rx-queues 2 } }"))
    assert meaning(updated) == {
        ("dpdk", "dev", "0000:01:00.0", "num-rx-queues"): "2",
        ("dpdk", "dev", "0000:01:00.0", "devargs"): "a=1",
    }


def test_a_header_moves_to_the_top() -> None:
    updated = conf_text(
        update(read("# Edge router\ncpu { main-core 1 }"), read("unix { nodaemon }\ncpu { main-core 2 }"))
    )
    assert updated.startswith("# Edge router\nunix {\n")
    assert updated.count("# Edge router") == 1


def test_a_stanza_that_an_update_empties_has_no_white_space_in_its_braces() -> None:
    existing = read("linux-cp {\n  # for every pair\n  default netns dataplane\n  # the last word\n}\nsession {}\n")
    text = conf_text(update(existing, read("linux-cp {}\n")))
    assert text == "# for every pair\n# the last word\nlinux-cp {}\n\nsession {}\n"
    assert problems_of(text) == []


def test_white_space_in_braces_is_written_as_it_was_read() -> None:
    text = "session { }\n\nudp {}\n\nnode { }\n\nnsim {\n  # a comment\n}\n"
    assert conf_text(read(text)) == text


def test_a_comment_in_the_middle_of_a_key_is_kept() -> None:
    text = "unix # one\n{ # two\n log # three\n # four\n /var/log/vpp.log # five\n # six\n}\n# seven\n"
    written = conf_text(read(text))
    assert all(f"# {word}" in written for word in ("one", "two", "three", "four", "five", "six", "seven"))
    assert meaning(read(written)) == meaning(read(text))


KEPT = ("unix { cli-prompt x }", "cpu { scheduler-policy fifo }", "logging { a }", "statseg { update-interval 5 }")
MANAGED = ("cpu { main-core 7 }", "memory { main-heap-size 3G }", "buffers { buffers-per-numa 9 }", "heapsize 1G")
GENERATED = read(
    "unix { gid vpp }\ncpu { main-core 1 }\nmemory { main-heap-size 1G }\nbuffers { buffers-per-numa 1 }\n"
)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*KEPT, *MANAGED]), max_size=8))
def test_an_update_keeps_all_that_is_not_managed_and_every_comment(stanzas: list[str]) -> None:
    """The comments of a stanza that is superseded go with it, and so do those of nothing else."""
    noted = [
        stanza.replace("{ ", f"{{\n # in {n}\n").replace(" }", f" # at {n}\n }}") for n, stanza in enumerate(stanzas)
    ]
    existing = read("\n".join(f"# above {n}\n{stanza}" for n, stanza in enumerate(noted)), Release(25, 2))
    updated = update(existing, GENERATED)
    text = conf_text(updated)
    for n, stanza in enumerate(stanzas):
        if stanza != "heapsize 1G":
            assert f"# above {n}" in text
            assert f"# in {n}" in text
            assert f"# at {n}" in text
    values = meaning(updated)
    wanted = {**meaning(read("\n".join(stanza for stanza in stanzas if stanza in KEPT))), **meaning(GENERATED)}
    assert values == wanted
    assert conf_text(update(read(text), GENERATED)) == text


def test_a_word_longer_than_any_path_is_not_read() -> None:
    conf, (problem,) = read_conf(f"unix {{ nodaemon }}\ncpu {{ main-core {'9' * 5000} }}\n", NEWEST)
    assert (conf.stanzas, problem.rule, problem.line, problem.column) == ((), "conf-too-large", 2, 17)
