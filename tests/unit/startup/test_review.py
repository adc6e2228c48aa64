"""What VPP of each release knows, reads, passes over and ignores in a startup.conf."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.hosts.trees import host_named
from vppcfg.adopt.startup_conf import adopt_conf
from vppcfg.common.bounds import PROBLEMS
from vppcfg.common.numbers import GIB, MIB, cpu_text, cpus_of
from vppcfg.common.release import NEWEST, OLDEST, RELEASES, Release
from vppcfg.model.host import Cpu, Host, HugepagePool, Nic
from vppcfg.model.problem import Severity
from vppcfg.startup.conf.grammar import STANZAS
from vppcfg.startup.conf.plugin_names import is_in, plugins
from vppcfg.startup.conf.plugin_review import plugin_problems, unknown_plugins
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.file_difference import differences
from vppcfg.startup.lint.demand import facts_of
from vppcfg.startup.lint.finding import ConfSurroundings, Level
from vppcfg.startup.lint.lint import judge, span_text
from vppcfg.startup.share import share_of


def rules_of(text: str, release: Release = NEWEST) -> list[str]:
    conf, problems = read_conf(text, release)
    return [problem.rule for problem in (*problems, *review(conf, release))]


@pytest.mark.parametrize(
    ("blanks", "plain"),
    [("1, 2", "1-2"), ("1 2", "1-2"), ("1-2 4", "1,2,4"), ("1 - 2 , 4,", "1-2,4"), ("1\t,2", "1,2")],
)
def test_every_list_may_have_blanks_and_each_reader_reads_what_vpp_reads(
    blanks: str, plain: str, tmp_path: Path
) -> None:
    def conf(ids: str) -> str:
        count = len(cpus_of(plain))
        device = f"dev 0000:01:00.0 {{ workers {ids} num-rx-queues {count} rss-queues {ids} }}"
        return f"cpu {{ main-core 0 corelist-workers {ids} thread-prefix x }}\ndpdk {{ {device} }}"

    assert judge(conf(blanks), (NEWEST,)).problems == judge(conf(plain), (NEWEST,)).problems
    trees = [read_conf(conf(ids), NEWEST)[0] for ids in (blanks, plain)]
    assert differences(*trees) == () and facts_of(trees[0]).worker_cpus == cpus_of(plain)
    (tmp_path / "startup.conf").write_text(conf(blanks))
    share = share_of(tmp_path / "startup.conf", Host(), must_exist=True)
    assert share.cpus == {0, *cpus_of(plain)}
    settings = [adopt_conf("startup.conf", conf(ids), NEWEST).settings for ids in (blanks, plain)]
    assert settings[0] == settings[1] and settings[0]["cpu"]["workers"] == cpu_text(cpus_of(plain))


@pytest.mark.parametrize(
    ("cpu", "cpus"),
    [
        ("main-core 1 workers 2", {1, 2, 3}),  # CPU 0 is the last one that VPP takes
        ("main-core 0 workers 2", {0, 1, 2}),
        ("main-core 1 workers 3", {0, 1, 2, 3}),
        ("workers 1", {1, 2}),
        ("main-core 2 skip-cores 1 workers 1", {0, 1, 2}),
        ("main-core 1 skip-cores 1 workers 1", {0, 1, 2}),
    ],
)
def test_the_cpus_that_vpp_chooses_are_its_share(cpu: str, cpus: set[int], tmp_path: Path) -> None:
    (tmp_path / "startup.conf").write_text(f"cpu {{ {cpu} }}")
    assert share_of(tmp_path / "startup.conf", host_named("fitlet2"), must_exist=True).cpus == cpus


PAIRS = "plugins { plugin linux_cp_plugin.so { enable } }"


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("memory { main-heap-sise 2G }", ["conf-unknown"], ["conf-passed-over"]),
        ("memory { main-heap-size 2Gx }", ["conf-value"], ["conf-passed-over"]),
        ("memory { main-heap-size }", ["conf-value"], ["conf-passed-over"]),
        ("cpu { main-core 1 numa-heap-size 1G }", [], ["conf-ignored"]),
    ],
)
def test_what_26_02_passes_over_or_ignores_stopped_vpp_before_or_counted(
    text: str, before: list[str], after: list[str]
) -> None:
    assert rules_of(text, Release(25, 10)) == before
    assert rules_of(text, Release(26, 2)) == after
    assert rules_of(text, NEWEST) == after


@pytest.mark.parametrize(
    ("inside", "rule"),
    [
        *(("relativ", "conf-passed-over"), ("worker 4", "conf-unknown"), ("corelist-worker 2-3", "conf-unknown")),
        *(("corelist-workers x", "conf-passed-over"), ("corelist-workers 3-2", "conf-value")),
        *(("corelist-workers 1-", "conf-passed-over"), ("coremask-workers 1c3", "conf-value")),
        *(("coremask-workers fff", "conf-passed-over"), ("workers many", "conf-passed-over")),
        *(("workers 3x", "conf-passed-over"), ("scheduler-policy fif", "conf-passed-over")),
        *(("skip-cores", "conf-passed-over"), ("workers 2", None), ("corelist-workers 2-3,5,", None)),
        *(("corelist-workers 2, 3", None), ("corelist-workers 2-3 5", None), ("corelist-workers 5 - 2", "conf-value")),
        *(("corelist-workers 2 ,3 - 5", None), ("corelist-workers 2 3x", "conf-passed-over")),
    ],
)
def test_cpu_takes_a_word_with_a_number_for_threads_and_stops_reading_at_any_other(
    inside: str, rule: str | None
) -> None:
    assert rules_of(f"cpu {{ main-core 1 {inside} }}") == ([rule] if rule else [])
    assert rules_of(f"cpu {{ main-core 1 {inside} workers 1 workers 1 }}")[:1] in ([rule], ["conf-contradiction"], [])


def test_what_stands_behind_the_end_of_reading_is_not_looked_at() -> None:
    assert rules_of("cpu { main-core 1 relativ nonsense 5 }") == ["conf-passed-over"]


def test_relative_ends_the_reading_of_an_older_vpp() -> None:
    assert rules_of("cpu { main-core 1 relative }", Release(25, 2)) == ["conf-passed-over"]
    assert rules_of("cpu { main-core 1 relative }", Release(25, 6)) == []


@pytest.mark.parametrize(("release", "is_lost"), [(Release(25, 10), False), (Release(26, 2), True), (NEWEST, True)])
def test_the_path_of_plugins_outside_their_stanza_is_lost(release: Release, *, is_lost: bool) -> None:
    found = {problem.rule for problem in judge("plugin_path /usr/lib/vpp", (release,)).problems}
    assert ("conf-value" in found) is is_lost


@pytest.mark.parametrize(
    ("dpdk", "rule", "is_found"),
    [
        ("dev 0000:01:00.0 { num-tx-queues 2 }", "conf-tx-shared", True),
        ("dev default { num-tx-queues 2 }", "conf-tx-shared", True),
        ("dev 0000:01:00.0 { num-tx-queues 3 }", "conf-tx-shared", False),
        ("dev 0000:01:00.0", "conf-tx-shared", False),
        ("blacklist 0000:0b:00.0 dev 0000:01:00.0", "conf-value", True),
        ("blacklist 8086:1539 dev 0000:01:00.0", "conf-value", False),
        ("blacklist 0000:0b:00.0", "conf-value", False),
    ],
)
def test_what_dpdk_makes_of_ports(dpdk: str, rule: str, *, is_found: bool) -> None:
    """The main thread needs a transmit queue too; ports are named or excluded, not both."""
    judgement = judge(f"cpu {{ main-core 1 corelist-workers 2-3 }}\ndpdk {{ {dpdk} }}", (NEWEST,))
    assert (rule in {problem.rule for problem in judgement.problems}) is is_found


@pytest.mark.parametrize(
    "text",
    [
        "unix { poll-sleep-usec ten }",
        "buffers { page-size 4 }",
        "buffers { buffers-per-numa 4294967296 }",
        "statseg { size 1T }",
        "statseg { per-node-counters yes }",
        "logging { class x { level loud } }",
        "physmem { base-addr 1000 }",
        "dpdk { dev 01:00.0 }",
        "dpdk { dev 0000:01:00.0 { workers 2-1 } }",
        "tcp { buffer-fail-fraction . }",
        "heapsize big",
    ],
)
def test_a_value_that_vpp_cannot_read_is_found(text: str) -> None:
    assert rules_of(text, Release(25, 10)) == ["conf-value"]


@pytest.mark.parametrize(
    "text",
    [
        "unix { coredump-size unlimited poll-sleep-usec 10 gid 0 }",
        "buffers { page-size default-hugepage } buffers { page-size 2m }",
        "statseg { size 64 update-interval 1.5e1 }",
        "logging { class a/b { level debug rate-limit 5 } default-log-level warn }",
        "dpdk { dev 0000:01:00.0 { workers 0,2 rss-queues 1 } blacklist 8086:1 }",
        "dpdk { dev a1b2c3d4-0000-1111-2222-333344445555 }",
        "session { enable rt-backend sdl enable poll-main segment-baseva 0x2000 }",
        "acl-plugin { connection hash buckets 1 use tuple merge 1 hash lookup hash memory 1g }",
        "crypto-engines { default { disable } native { enable } }",
        "tcp { cc-algo newreno cubic { fast-convergence } }",
        "unix nodaemon",
        "plugin_path /usr/lib/vpp",
    ],
)
def test_what_vpp_reads_is_not_complained_of(text: str) -> None:
    assert rules_of(text) == []


# fmt: off
BLANK_STOPS = (
    "acl-plugin", "api-queue", "api-segment", "api-trace", "buffers", "cnat", "crypto-engines",
    "crypto_sw_scheduler", "ct6", "dns", "dslite", "ethernet", "fateshare", "http", "interface", "ip", "ip6",
    "ipsec", "l2fib", "l2learn", "l2tp", "l3fib", "linux-cp", "linux-nl", "logging", "mactime", "memory", "mpls",
    "nsim", "physmem", "plugins", "punt", "pvti", "quic", "selog", "session", "sfdp", "socksvr", "statseg", "tcp",
    "test-proxy", "tls", "trace", "tuntap", "udp", "unix", "vhost-user", "vlib", "api-fuzz",
)
# fmt: on
"""Stanzas that VPP does not start with when their braces hold a blank: tried, or read in the source of plugins."""
BLANK_STARTS = ("cpu", "devices", "dpdk", "dsa", "node", "npol-plugin", "unix-cli")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("unix{ nodaemon }", "unix"),
        ("api-trace{ on }", "api-trace"),
        ("plugins { plugin acl_plugin.so{ enable } }", "acl_plugin.so"),
        ("logging { class linux-cp{ level debug } }", "linux-cp"),
        ("plugins { plugin default{ disable } }", ""),
        ("buffers { numa 0{ buffers 8000 } }", ""),
        ("unix\n{ nodaemon }", ""),
    ],
)
def test_a_brace_right_behind_a_word_that_vpp_reads_up_to_white_space_stops_it(text: str, word: str) -> None:
    conf, _ = read_conf(text, NEWEST)
    found = [(problem.rule, f"`{word} {{`" in problem.text) for problem in review(conf, NEWEST)]
    assert found == ([("conf-syntax", True)] if word else [])


def test_a_stanza_with_white_space_in_its_braces_stops_vpp_where_a_real_one_does() -> None:
    for name in (*BLANK_STOPS, *BLANK_STARTS):
        found = ["conf-blank"] if name in BLANK_STOPS else []
        for blank in (" ", "\n\n", "\n  # a comment\n", "# a comment\n"):
            assert rules_of(f"{name} {{{blank}}}") == found, name
        assert rules_of(f"{name} {{}}") == [], name


def test_it_is_known_of_every_stanza_what_white_space_in_its_braces_does() -> None:
    with_braces = {name for name, key in STANZAS.items() if key.block is not None and key.is_known_to(NEWEST)}
    assert with_braces == {*BLANK_STOPS, *BLANK_STARTS}


@pytest.mark.parametrize(
    ("text", "in_25_10", "in_26_02"),
    [
        ("session { enable } session { }", 0, 0),
        ("session { } session { enable }", 0, 0),
        ("session enable session { }", 0, 0),
        ("session { } session { }", 1, 1),
        ("session {} session { }", 1, 1),
        ("unix { nodaemon } unix { }", 0, 1),
        ("unix { } unix { nodaemon }", 0, 1),
        ("unix { } unix { }", 1, 2),
        ("memory { main-heap-size 1G } memory { }", 1, 1),
        ("memory { } memory { }", 2, 2),
        ("plugins { plugin acl_plugin.so { } }", 1, 1),
        ("plugins { plugin acl_plugin.so {} plugin default { } }", 0, 0),
        ("logging { class dpdk { } class bfd {} }", 1, 1),
        ("crypto-engines { default { } native { } }", 1, 1),
        ("ipsec { ip4 { } ip6 {\n} }", 2, 2),
        ("node { default { } ip4-lookup { } ip6-lookup {} }", 2, 2),
        ("devices { dev pci/0000:03:00.0 { } }", 1, 1),
        ("devices { dev pci/0000:03:00.0 { port 0 { } } driver iavf { } }", 2, 2),
        ("buffers { numa 0 { } } dpdk { dev 0000:03:00.0 { } dev default { } } tcp { cubic { } }", 0, 0),
    ],
)
def test_what_counts_is_what_all_braces_of_a_name_hold_but_where_vpp_reads_them_one_by_one(
    text: str, in_25_10: int, in_26_02: int
) -> None:
    assert rules_of(text, Release(25, 10)) == ["conf-blank"] * in_25_10
    assert rules_of(text, Release(26, 2)) == ["conf-blank"] * in_26_02


@pytest.mark.parametrize(
    ("text", "release", "words"),
    [
        ("memory { }", Release(25, 10), "white space alone, which stops VPP"),
        ("memory { }", Release(26, 2), "white space alone, at which VPP hangs for ever"),
        ("unix {\n # nodaemon\n}", Release(25, 10), "comments alone, which stops VPP"),
        ("unix {\n # nodaemon\n}", Release(26, 2), "comments alone, at which VPP hangs for ever"),
        ("dslite { }", OLDEST, "at which VPP hangs for ever"),
        ("devices { driver iavf { } }", NEWEST, "VPP starts without the devices after it"),
        ("devices { dev pci/0000:03:00.0 { } }", NEWEST, "VPP starts without this device and those after it"),
    ],
)
def test_what_vpp_does_at_white_space_is_told(text: str, release: Release, words: str) -> None:
    texts = [one.text for one in judge(text, (release,)).problems if one.rule == "conf-blank"]
    assert len(texts) == 1
    assert words in texts[0]


def test_before_26_02_a_hash_right_behind_a_brace_is_a_word_that_stops_vpp() -> None:
    text = "buffers {# of each node\n buffers-per-numa 16384\n}"
    assert rules_of(text, Release(25, 10)) == ["conf-unknown"]
    assert rules_of(text, Release(26, 2)) == []
    assert rules_of(text.replace("{#", "{ #"), Release(25, 10)) == []


@pytest.mark.parametrize("text", ["plugin_path { }", "plugin_path { /usr/lib/vpp }", "test_plugin_path {}"])
def test_a_path_of_plugins_in_braces_is_none(text: str) -> None:
    assert rules_of(text) == ["conf-value"]


def test_a_single_word_in_place_of_braces_is_reviewed() -> None:
    assert rules_of("unix nodeamon") == ["conf-unknown"]
    assert rules_of("socksvr default\nstatseg socket-name") == ["conf-value"]


def test_an_allowed_word_is_known_with_its_value_and_its_braces() -> None:
    conf, problems = read_conf("acme { x }\nunix { turbo 5 nodaemon boost { y } log /x }\ncpu { fast }", NEWEST)
    assert problems == ()
    assert review(conf, NEWEST, {"acme", "turbo", "boost", "fast"}) == []
    assert [problem.rule for problem in review(conf, NEWEST)] == [
        *("conf-unknown", "conf-unknown", "conf-unknown", "conf-passed-over")
    ]


def test_a_stanza_is_a_vendors_when_a_plugin_is_unknown_too_and_no_misspelling() -> None:
    conf, _ = read_conf("plugins { plugin acme_plugin.so { enable } plugin pign_plugin.so { enable } }", NEWEST)
    assert unknown_plugins(conf, None) == ("acme",)
    assert unknown_plugins(conf, {"dpdk", "other"}) == ("other",)
    assert {problem.severity for problem in plugin_problems(conf, NEWEST, None)} == {Severity.WARNING}
    odd, _ = read_conf("acme { x }", NEWEST)
    assert [problem.severity for problem in review(odd, NEWEST, (), ("acme",))] == [Severity.WARNING]


LCP = "plugin linux_cp_plugin.so { enable }"


@pytest.mark.parametrize(
    ("plugins", "release", "is_found"),
    [
        ("", NEWEST, True),
        (f"{LCP} plugin linux_nl_plugin.so {{ enable }}", NEWEST, False),
        (f"{LCP} plugin default {{ disable }} plugin linux_nl_plugin.so {{ enable }}", NEWEST, False),
    ],
)
def test_a_stanza_needs_its_plugin_which_may_be_off_by_itself(plugins: str, release: Release, is_found: bool) -> None:
    conf, _ = read_conf(f"plugins {{ {plugins} }} linux-nl {{ nl-batch-size 1 }}", release)
    assert [problem.rule for problem in plugin_problems(conf, release, None)] == ["conf-plugin"] * is_found
    assert [problem.rule for problem in plugin_problems(conf, release, {"ping"})][-1] == "conf-plugin"


@pytest.mark.parametrize(
    ("plugins", "last", "needed"),
    [
        ("plugin linux_nl_plugin.so { enable }", None, "linux_nl, which needs linux_cp"),
        ("plugin default { disable } plugin ikev2_plugin.so { enable }", Release(26, 6), "ikev2, which needs ipip"),
        ("plugin ipip_plugin.so { disable }", Release(26, 6), "ikev2, which needs ipip"),
        ("plugin vxlan_plugin.so { disable }", None, "nsh, which needs vxlan,"),
        ("plugin gre_plugin.so { disable }", Release(23, 6), "nsh, which needs gre"),
        (
            "plugin vxlan-gpe_plugin.so { disable } plugin nsh_plugin.so { disable }",
            Release(25, 2),
            "ioam, which needs",
        ),
        (f"{LCP} plugin linux_nl_plugin.so {{ enable }}", NEWEST, ""),
    ],
)
def test_a_plugin_that_stops_vpp_without_another_one_is_told_of(
    plugins: str, last: Release | None, needed: str
) -> None:
    """`last` is the last release that starts."""
    for release in RELEASES:
        conf, _ = read_conf(f"plugins {{ {plugins} }}", release)
        found = [one.text for one in plugin_problems(conf, release, None) if one.rule == "conf-plugin"]
        assert len(found) == (last is None or release > last) and needed in "".join(found) + needed * (not found)


@pytest.mark.parametrize(
    ("variant", "starts"),
    [
        ("skx", RELEASES[: RELEASES.index(Release(26, 6))]),
        ("x86_64_v4", RELEASES[RELEASES.index(Release(26, 6)) :]),
        ("avx2", ()),
        ("default", RELEASES),
        ("neoversen1", RELEASES),
    ],
)
def test_a_variant_of_nodes_is_one_that_the_release_is_built_with(variant: str, starts: tuple[Release, ...]) -> None:
    for node in ("default", "ip4-lookup"):
        judged = judge(f"node {{ {node} {{ variant {variant} }} }}")
        assert judged.stopped == tuple(release for release in RELEASES if release not in starts)


def test_quic_is_on_by_itself_from_25_06_on() -> None:
    for release in RELEASES:
        conf, _ = read_conf("quic { fifo-size 1M }", release)
        assert bool([*plugin_problems(conf, release, None)]) == (release < Release(25, 6))


@pytest.mark.parametrize(
    ("text", "release", "rules"),
    [
        ("http { fifo-size 64k http2 { max-frame-size 16384 } }", NEWEST, []),
        ("http { http2 { max-frame-size 16384 } }", Release(25, 2), ["conf-removed"]),
        ("http { http2 { max-frame 1 } http3 { x } }", NEWEST, ["conf-unknown", "conf-unknown"]),
        ("tls { use-test-cert-in-ca ca-cert-path /x openssl { provider default } }", NEWEST, []),
        ("tls { ca-cert /x }", NEWEST, ["conf-unknown"]),
        ("ipsec { ipv4-inbound-spd-fast-path on ip4 { num-buckets 64 } async-handoff-queue-size 4 }", NEWEST, []),
        ("ipsec { ipv6-inbound-spd-flow-cache on }", NEWEST, ["conf-unknown"]),
        ("ipsec { ipv4-inbound-spd-fast-path maybe }", NEWEST, ["conf-value"]),
        ("ikev2 { handoff-thread 1 }", Release(25, 2), []),
        ("dslite { ce aftr }", NEWEST, ["conf-unknown"]),
        ("dsa { dev wq0.0 dev wq0.1 }", NEWEST, []),
        ("tap { host-mtu 1500 }", Release(25, 2), []),
        ("mc { interface x }", NEWEST, ["conf-unknown"]),
    ],
)
def test_the_words_of_further_stanzas(text: str, release: Release, rules: list[str]) -> None:
    conf, problems = read_conf(text, release)
    assert problems == ()
    assert [problem.rule for problem in review(conf, release)] == rules


def test_every_plugin_is_in_some_release_and_its_span_is_not_empty() -> None:
    assert all(any(is_in(plugin, release) for release in RELEASES) for plugin in plugins())
    assert not is_in("avf", NEWEST)
    assert is_in("avf", OLDEST)


def test_releases_are_three_a_year() -> None:
    assert [str(release) for release in RELEASES[:4]] == ["23.06", "23.10", "24.02", "24.06"]
    assert RELEASES[-1] == NEWEST


@pytest.mark.parametrize(
    ("about", "text"),
    [
        (RELEASES[:2], "until 23.10"),
        (RELEASES[-2:], "from 26.06 on"),
        (RELEASES[2:3], "24.02"),
        (RELEASES[2:5], "24.02 to 24.10"),
        (RELEASES[0:3:2], "23.06, 24.02"),
    ],
)
def test_releases_are_told_as_a_span(about: tuple[Release, ...], text: str) -> None:
    assert span_text(about, RELEASES) == text


def test_a_problem_of_some_releases_says_which_and_one_of_all_does_not() -> None:
    found = judge("heapsize 1G\nunix { nodeamon }")
    texts = {finding.problem.rule: finding for finding in found.findings}
    assert texts["conf-removed"].problem.text.endswith("(VPP from 26.02 on)")
    assert texts["conf-unknown"].releases == RELEASES
    assert "(VPP" not in texts["conf-unknown"].problem.text


def test_what_is_passed_over_is_an_error_and_does_not_stop_vpp() -> None:
    found = judge("memory { main-heap-sise 1G }", (NEWEST,))
    assert found.has_errors
    assert found.stopped == ()
    assert judge("memory { main-heap-sise 1G }", (Release(25, 10),)).stopped == (Release(25, 10),)


@pytest.mark.parametrize(
    ("script", "plugin", "word", "release", "is_told"),
    [
        ("exec /a", "linux_nl", "lcp-sync", Release(23, 10), True),
        ("nodaemon", "linux_nl", "lcp-sync", Release(23, 10), False),
        ("exec /a", "ping", "lcp-sync", Release(23, 10), False),
        ("exec /a", "linux_nl", "lcp-auto-subint", Release(23, 10), False),
        ("exec /a", "linux_nl", "lcp-sync", Release(24, 2), False),
    ],
)
def test_a_script_at_boot_is_warned_of_where_vpp_echoes_what_linux_says(
    script: str, plugin: str, word: str, release: Release, is_told: bool
) -> None:
    plugins = "".join(f"plugin {name}_plugin.so {{ enable }} " for name in ("linux_cp", plugin))
    text = f"unix {{ {script} }}\nplugins {{ {plugins}}}\nlinux-cp {{ {word} }}"
    assert ("conf-lcp-loop" in {one.rule for one in judge(text, (release,)).problems}) == is_told


@pytest.mark.parametrize(("release", "is_told"), [((25, 10), False), ((26, 2), True), ((26, 6), False)])
def test_the_release_that_drops_what_linux_sends_by_pairs_is_warned_of(release: tuple[int, int], is_told: bool) -> None:
    found = {one.rule for one in judge(PAIRS, (Release(*release),)).problems}
    assert ("conf-lcp-unicast" in found) == is_told
    assert "conf-lcp-unicast" not in {one.rule for one in judge("", (Release(*release),)).problems}


def test_levels_are_those_that_could_be_judged() -> None:
    assert judge("unix {").levels == (Level.FORM,)
    assert judge("", known=ConfSurroundings()).levels == (Level.FORM, Level.WORDS, Level.SENSE, Level.HABITS)


@pytest.mark.parametrize(
    ("text", "is_stopped"),
    [
        ("memory { main-heap-size 1G", False),
        ("memory { main-heap-size 1G cpu { main-core 1 } nonsense", False),
        ("cpu { main-core 1 unix { nodaemon }", False),
        ("unix { nodaemon cpu { main-core 1 }", True),
        ("logging { class x { level debug", False),
        ("unix { nodaemon } }", True),
    ],
)
def test_braces_that_are_never_closed_stop_vpp_when_the_stanza_does_not_know_what_they_swallow(
    text: str, is_stopped: bool
) -> None:
    found = judge(text, (NEWEST,))
    assert found.has_errors
    assert bool(found.stopped) == is_stopped


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("cpu { corelist-workers 1 corelist-workers 1 main-core 0 }", ["conf-contradiction"]),
        ("cpu { main-core 1 relativ scheduler-priority 5 corelist-workers 1 }", ["conf-passed-over"]),
        ("unix { cli-listen run/vpp/cli.sock }", ["conf-range"]),
        ("unix { cli-listen localhost:5002 }", []),
        ("unix { cli-listen 5002 }", []),
        ("unix { coredump-size unlimted }", ["conf-value"]),
        ("statseg { socket-name run/stats.sock size 128K }", ["conf-range", "conf-range"]),
        ("socksvr { socket-name run/api.sock }", []),
        ("memory { main-heap-size 64M }", ["conf-range"]),
        ("l2fib { num-buckets 1000 }", ["conf-range"]),
        ("l2fib { num-buckets 1024 }", []),
        ("buffers { page-size 4k default data-size 8192 }", ["conf-range"]),
        ("buffers { page-size 2M default data-size 8192 }", []),
        ("linux-cp { default netns " + "n" * 32 + " }", ["conf-plugin", "conf-range"]),
        ("unix { runtime-dir /tmp/x pidfile /tmp/x/pid }", []),
    ],
)
def test_what_a_real_vpp_stops_at_though_it_can_read_it(text: str, rules: list[str]) -> None:
    errors = [one.rule for one in judge(text, (NEWEST,)).problems if one.severity is Severity.ERROR]
    assert sorted(errors) == rules


def test_of_a_file_with_thousands_of_unknown_words_a_bounded_number_is_told() -> None:
    text = "".join(f"word{number} x\n" for number in range(3000))
    errors = [one for one in judge(text, (NEWEST,)).problems if one.severity is Severity.ERROR]
    assert len(errors) == PROBLEMS


@pytest.mark.parametrize(
    ("text", "count"),
    [("tls {\n  ca-path /a\n  verify off\n  fifo-sise 5\n}", 3), ("tls { ca-path /a verify off }", 1)],
)
def test_an_unknown_word_is_named_unless_it_may_be_the_value_of_one_before(text: str, count: int) -> None:
    assert rules_of(text) == ["conf-unknown"] * count


@pytest.mark.parametrize(
    ("vendor", "device", "driver", "is_taken"),
    [
        (0x8086, 0x1539, "igb", True),
        (0x1022, 0x2000, "pcnet32", False),
        (0x10EC, 0x8168, "r8169", False),
        (0x10EC, 0x8168, "vfio-pci", True),
        (0x15B3, 0x1017, "mlx5_core", True),
    ],
)
def test_a_card_that_vpp_leaves_to_linux_is_named(vendor: int, device: int, driver: str, is_taken: bool) -> None:
    nic = Nic(address="0000:01:00.0", vendor=vendor, device=device, driver=driver)
    machine = Host(cpus=(Cpu(id=0),), nics=(nic,))
    found = judge("dpdk { dev 0000:01:00.0 }\n", (NEWEST,), ConfSurroundings(host=machine)).problems
    texts = [each.text for each in found if each.rule == "conf-device"]
    assert any("does not take 0000:01:00.0" in text for text in texts) is not is_taken


APART = "buffers { buffers-per-numa 16800 numa 1 { buffers 100800 } }"
HUGE = "buffers { buffers-per-numa 33600 page-size default-hugepage }"
HEAP = "memory { main-heap-size 1G main-heap-page-size default-hugepage }"


@pytest.mark.parametrize(
    ("conf", "there", "found"),
    [
        (APART, (20, 120), ""),
        (APART, (70, 70), "node 1 need 120 hugepages of 2M, and"),
        (APART, (20, 100), "140 for 16800 + 100800 buffers of"),
        ("buffers { buffers-per-numa 33600 }", (70, 20), "has 20; VPP takes ordinary pages"),
        (HUGE, (70, 20), "has 20; VPP takes those of another node"),
        (HUGE, (40, 20), "this machine has set 60 aside"),
        (HEAP, (0, 0), "has set no hugepages of 2M aside"),
        (HEAP, (300, 200), "+ 512 for the main heap = 552"),
        (
            "memory { main-heap-size 2G main-heap-page-size 1G }",
            (40, 40),
            "2 for the main heap = 2 hugepages of 1G, and",
        ),
    ],
)
def test_the_hugepages_of_each_node_are_counted(conf: str, there: tuple[int, int], found: str) -> None:
    host = host_named("two_sockets")
    nodes = tuple(
        replace(node, hugepages=tuple(HugepagePool(page_bytes=size, total=number) for size, number in pools))
        for node, *pools in zip(host.nodes, [(2 * MIB, total) for total in there], [(GIB, 1), (GIB, 0)], strict=True)
    )
    judged = judge(conf, (NEWEST,), ConfSurroundings(host=replace(host, nodes=nodes)))
    told = [each.text for each in judged.problems if each.rule == "conf-hugepages"]
    assert len(told) == bool(found) and found in "".join(told)


def test_the_heap_of_an_older_file_has_the_size_that_heapsize_gives_it() -> None:
    text = "heapsize {} l3fib {{ ip4-mtrie-pool-size 1M }} memory {{ main-heap-page-size 2M }}"
    host = replace(host_named("xeon_d"), memory_bytes=3 * GIB)
    for size, rules in (
        ("4G", {"conf-memory", "conf-hugepages"}),
        ("1G", {"conf-small-heap"}),
        ("64M", {"conf-range"}),
    ):
        found = judge(text.format(size), (Release(25, 10),), ConfSurroundings(host=host)).problems
        about = {"conf-memory", "conf-hugepages", "conf-small-heap", "conf-range"}
        assert {one.rule for one in found} & about == rules, size


@pytest.mark.parametrize(
    ("conf", "is_missing"),
    [
        ("unix {{ nodaemon gid {} }}", {"vpp": False, "0": False, "4711": True, "vppp": True}),
        ("api-segment {{ gid {} }}", {"vpp": False, "0": False, "4711": False, "vppp": True}),
    ],
)
def test_a_group_is_looked_up_as_vpp_does(conf: str, is_missing: dict[str, bool]) -> None:
    host = replace(host_named("xeon_d"), groups=("root", "vpp"), group_ids=(0, 111))
    for name, expected in is_missing.items():
        found = judge(conf.format(name), (NEWEST,), ConfSurroundings(host=host)).problems
        assert ("conf-group" in {one.rule for one in found}) == expected, (conf, name)


def test_a_log_of_no_messages_ends_vpp() -> None:
    for size, expected in ((0, True), (1, False)):
        found = judge(f"logging {{ size {size} }}", (NEWEST,)).problems
        assert ("conf-range" in {one.rule for one in found}) == expected, size
