"""The program that reads VPP's source: what it takes for words, plugins and packages, and that it gives the same."""

import os
from pathlib import Path

import pytest

from tools.vpp_tables import old_words
from tools.vpp_tables.__main__ import DECIDED, DEFINITIONS, TARGET, decide, definitions, table
from tools.vpp_tables.plugins import dpdk_of, packages_of, plugins_of, sysctl_of
from tools.vpp_tables.source import Tree
from tools.vpp_tables.words import Words, stanzas_of
from vppcfg.common.release import Release

READER = r"""
/* VLIB_CONFIG_FUNCTION (nobody, "comment"); */
#define foreach_argument \
_(huge-dir)              \
_(proc-type)

static clib_error_t *
class_config (char *name, unformat_input_t *input)
{
  if (unformat (input, "level %U", unformat_level, &level))
    ; // unformat (input, "not-this %d", &a)
  return 0;
}

static clib_error_t *
tell_somebody (u8 *text)
{
  unformat (text, "not-that");
}

static clib_error_t *
sample_config (vlib_main_t *vm, unformat_input_t *input)
{
  while (unformat_check_input (input) != UNFORMAT_END_OF_INPUT)
    {
      if (unformat (input, "main-core %u", &tm->core) || unformat (input, "two "
                   "words %s", &s))
        tell_somebody (format (0, "}"));
      else if (unformat (input, "class %s %U", &name, unformat_vlib_cli_sub_input, &sub_input))
        class_config (name, &sub_input);
      else if (unformat (input, "on"))
        ;
#define _(a)                                \
      else if (unformat (input, #a " %s", &s)) \
        vec_add1 (args, s);
      foreach_argument
#undef _
      else if (unformat (input, "corelist-%s %U", &s, unformat_bitmap_list, &bitmap))
        ;
    }
}

VLIB_EARLY_CONFIG_FUNCTION (sample_config, "sample");
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    files = {
        "src/vlib/sample.c": READER,
        "src/plugins/one/CMakeLists.txt": "# add_vpp_plugin(none)\nadd_vpp_plugin(one\n  SOURCES\n  one.c\n)\n",
        "src/plugins/one/one.c": "VLIB_PLUGIN_REGISTER () = { .default_disabled = 1, };",
        "src/plugins/two/CMakeLists.txt": "add_vpp_plugin(two\n SOURCES two.c\n COMPONENT\n vpp-plugin-devtools\n)\n",
        "src/plugins/two/two.c": "VLIB_PLUGIN_REGISTER () = { .default_disabled = 0, };",
        "src/pkg/debian/control.in": "Source: vpp\n\nPackage: vpp\nDepends: libvppinfra (= 1),\n\t ${misc:Depends}\n"
        "Description: a\n b\n\nPackage: vpp-drivers\nDepends: vpp (= 1), adduser\nDescription: vpp-dbg\n",
        "src/vpp/conf/80-vpp.conf": "# vm.old=1\nvm.nr_hugepages=1024\n",
        "build/external/packages/dpdk.mk": "dpdk_version ?= 25.07\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Tree(tmp_path)


def test_words_are_those_that_the_reader_and_what_it_calls_look_for(tree: Tree) -> None:
    stanzas = stanzas_of(tree)
    assert set(stanzas) == {"sample"}
    assert stanzas["sample"].keys == {"main-core", "two words", "class", "level", "on", "huge-dir", "proc-type"}
    assert stanzas["sample"].uncertain == {"`corelist-%s %U`"}


def test_plugins_are_in_packages_and_some_are_off(tree: Tree) -> None:
    assert plugins_of(tree) == ({"one": "vpp-plugin-core", "two": "vpp-plugin-devtools"}, {"one"})


def test_packages_depend_on_each_other(tree: Tree) -> None:
    assert packages_of(tree) == {"vpp": {"libvppinfra"}, "vpp-drivers": {"vpp"}}
    assert sysctl_of(tree) == {"vm.nr_hugepages"}
    assert dpdk_of(tree) == "25.07"


def test_a_decision_counts_in_its_releases_and_what_nobody_decided_is_told() -> None:
    decided = {"cpu": {"has": {"workers": "", "relative": "25.06-"}, "has not": ["x"], "settles": ["`%s`"]}}
    for release, keys in ((Release(24, 10), {"workers"}), (Release(25, 6), {"workers", "relative"})):
        stanzas = {"cpu": Words(keys={"x"}, uncertain={"`%s`", "`%d`"})}
        assert list(decide(stanzas, decided, release)) == [("cpu", "`%d`")]
        assert stanzas["cpu"].keys == keys


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_table_is_what_the_source_gives() -> None:
    pytest.importorskip("ply", reason="VPP's own vppapigen needs the package ply")
    if "VPP_SOURCE" not in os.environ:
        pytest.skip("VPP_SOURCE names no clone of VPP's repository")
    assert table(os.environ["VPP_SOURCE"]) == TARGET.read_text(encoding="utf-8"), f"run it again; see {DECIDED.name}"
    assert definitions(os.environ["VPP_SOURCE"]) == DEFINITIONS.read_text(encoding="utf-8"), "run it again"


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_table_of_old_words_is_what_the_source_gives() -> None:
    if "VPP_SOURCE" not in os.environ:
        pytest.skip("VPP_SOURCE names no clone of VPP's repository")
    assert old_words.text_of(os.environ["VPP_SOURCE"]) == old_words.TARGET.read_text(encoding="utf-8"), "run it again"
