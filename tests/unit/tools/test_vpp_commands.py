"""Commands in code that no package of VPP is built with are none of VPP's."""

from tools.vpp_commands import built

SOURCE = """\
#if CLIB_DEBUG > 0
#if HAVE_NUMA
a
#else
b
#endif
c
#else
kept
#endif
#ifdef TEST_CODE
d
#endif
#if DNS_FORMAT_TEST > 0
kept
#endif
# if 0
e
# endif
#if DEBUGGER
kept
#endif
"""


def test_what_is_built_by_its_authors_alone_is_left_out() -> None:
    words = [line for line in built(SOURCE).split("\n") if line and not line.lstrip().startswith("#")]
    assert words == ["kept", "kept", "kept"]
