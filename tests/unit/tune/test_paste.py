"""What people paste is taken apart by commands, headers and shapes: prompts of all kinds, excerpts, wraps, squeezes."""

import gzip
import io
import re
import tarfile
import textwrap
import time
from pathlib import Path

import pytest

from tests.unit.tune.material import CASES
from vppcfg.cli.main import main
from vppcfg.common.bounds import ARCHIVE_MEMBERS, CAPTURE_BYTES
from vppcfg.errors import ExitCode, UsageError
from vppcfg.tune.assemble import reading_of
from vppcfg.tune.capture import Capture, read_captures, split_paste, text_name, typed_command
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.interval import load_of
from vppcfg.tune.reading import ThreadPlace
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.show.process import parse_threads
from vppcfg.tune.show.runtime import parse_errors, parse_runtime

BOTH = CASES / "fitlet2_both_ways"
RUNTIME, ERRORS, HARDWARE = ((BOTH / f"{name}.txt").read_text() for name in ("runtime", "errors", "hardware"))


@pytest.mark.parametrize(
    "line",
    [
        "show runtime",
        "vpp# show runtime",
        "vpp1# sh run",
        "router> sho run",
        "DBGvpp# show runtime",
        "$ sudo vppctl show runtime",
        "# vppctl show run",
        "root@host:~# vppctl -s /run/vpp/cli.sock show runtime",
        "[root@host ~]# vppctl show runtime",
        "$ docker exec -it vpp vppctl show runtime",
        "$ kubectl exec -n net vpp-abc -c vpp -- vppctl show runtime",
        "$ vppctl show runtime | less",
        "**show runtime**",
        "`vppctl show runtime`:",
        "### show runtime",
    ],
)
def test_commands_are_found_behind_any_prompt(line: str) -> None:
    command = typed_command(line)
    assert command is not None and text_name(command) == "runtime"


@pytest.mark.parametrize(
    "line", ["we show what it does", "TX Hash: [name: hash-eth-l34]", "vpp# ping 10.0.0.1", "show"]
)
def test_other_lines_are_no_show_commands(line: str) -> None:
    assert typed_command(line) is None


def test_outputs_without_commands_are_told_by_their_headers() -> None:
    paste = split_paste(RUNTIME + "\n" + HARDWARE + "\n" + ERRORS)
    assert set(paste.texts) == {"runtime", "hardware", "errors"}
    assert paste.whole == frozenset()
    assert parse_errors(paste.texts["errors"])[0] == parse_errors(ERRORS)[0]


@pytest.mark.parametrize("typed", ["show trace paths", "sh trace path 0", "show trace filter function"])
def test_what_else_vpp_shows_of_traces_is_no_trace(typed: str) -> None:
    text = f"vpp# {typed}\nFound 2 unique paths across all threads (showing top 2):\nvpp# show version\nvpp v26.10\n"
    assert set(split_paste(text).texts) == {"version"}
    assert set(split_paste("vpp# show trace max 5\nNo packets in trace buffer\n").texts) == {"trace"}


@pytest.mark.parametrize("name", ["runtime", "errors", "hardware", "cpu", "pci"])
def test_every_text_alone_is_told_by_its_content(name: str) -> None:
    assert set(split_paste((BOTH / f"{name}.txt").read_text()).texts) == {name}


@pytest.mark.parametrize(
    "name", ["interface", "rx-placement", "threads", "version", "memory", "buffers", "runtime-max", "trace"]
)
def test_texts_of_vpp_26_10_are_told_by_their_content(name: str) -> None:
    assert set(split_paste((CASES / "vpp2610_switched/2" / f"{name}.txt").read_text()).texts) == {name}


def test_rows_without_a_header_are_told_by_their_shape() -> None:
    rows = "\n".join(RUNTIME.splitlines()[4:])
    assert set(split_paste(rows).texts) == {"runtime"}
    assert set(split_paste("\n".join(ERRORS.splitlines()[1:])).texts) == {"errors"}
    assert split_paste("Dear all,\nit is slow.\n").texts == {}


def test_a_line_that_says_that_something_was_left_out_makes_no_text_whole() -> None:
    paste = split_paste(f"vpp# show run\n{RUNTIME}[snip]\nvpp# show err\n{ERRORS}vpp# \n")
    assert paste.whole == {"errors"}


@pytest.mark.parametrize("mark", ["> ", " * ", "// ", "# "])
def test_quoted_mail_comments_and_fences_are_read(mark: str) -> None:
    quoted = "\n".join(f"{mark}{line}" for line in f"vpp# show run\n{RUNTIME}".splitlines())
    assert parse_runtime(split_paste(quoted).texts["runtime"]) == parse_runtime(RUNTIME)
    assert parse_runtime(split_paste(f"```\n{RUNTIME}```\n").texts["runtime"]) == parse_runtime(RUNTIME)


def test_the_prompt_of_a_debug_image_is_evidence_of_one(tmp_path: Path) -> None:
    (tmp_path / "paste").write_text(f"DBGvpp# show run\n{RUNTIME}")
    load = load_of([reading_of(capture) for capture in read_captures(tmp_path / "paste")])
    found = next(found for found in diagnose(Situation(load=load)).findings if found.rule == "debug-build")
    assert found.evidence[0].text == "the prompt is `DBGvpp#`"


@pytest.mark.parametrize("width", [80, 100])
def test_lines_that_a_terminal_wrapped_are_put_together(width: int) -> None:
    wrapped = "\n".join(
        line[start : start + width] for line in RUNTIME.splitlines() for start in range(0, len(line), width)
    )
    assert parse_runtime(wrapped) == parse_runtime(RUNTIME)


def test_errors_that_a_terminal_wrapped_are_counted() -> None:
    wrapped = "\n".join(line[start : start + 80] for line in ERRORS.splitlines() for start in range(0, len(line), 80))
    counters, unread = parse_errors(wrapped)
    assert [counter.count for counter in counters] == [counter.count for counter in parse_errors(ERRORS)[0]]
    assert unread == ()


def test_columns_that_ran_together_are_told_apart_by_vectors_per_call() -> None:
    squeezed = re.sub(r"(?<=[a-z0-9.]) +(?=[\d.])", "", RUNTIME.partition("Vectors/Call")[2])
    assert "dpdk-input                   polling1827320396532280" in squeezed
    (thread,), unread = parse_runtime("Thread 1 vpp_wk_0 (lcore 1)\n" + squeezed)
    (known,), _ = parse_runtime(RUNTIME)
    counts = {node.name: (node.calls, node.vectors) for node in thread.nodes}
    assert len(counts) + len(unread) == len(known.nodes)
    assert counts == {node.name: (node.calls, node.vectors) for node in known.nodes if node.name in counts}
    assert len(counts) >= 6


def test_glued_numbers_beside_others_are_told_apart() -> None:
    (thread,), unread = parse_runtime("dpdk-input polling 182732039653228 0 1.62e2 21.70\n")
    assert (thread.nodes[0].calls, thread.nodes[0].vectors, unread) == (1827320, 39653228, ())


def test_a_row_that_can_be_read_in_two_ways_is_not_guessed() -> None:
    threads, unread = parse_runtime("ip4-lookup active 11110 1.00e2 1.00\n")
    assert threads == () and len(unread) == 1


def test_rows_of_digits_alone_take_no_more_time_than_others() -> None:
    rows = "ip4-lookup active 1234567890123456789012345678901234567890 1.00e2 1.00\n" * 1000
    start = time.process_time()
    threads, unread = parse_runtime(rows)
    assert (threads, len(unread)) == ((), 1000)
    assert time.process_time() - start < 5


def test_threads_that_are_not_pinned_are_threads() -> None:
    text = textwrap.dedent("""\
        ID     Name                Type        LWP     Sched Policy (Priority)  lcore  Core   Socket State
        0      vpp_main                        7       (nil) (n/a)              n/a    n/a    n/a    n/a
        1      vpp_wk_0            workers     28      (nil) (n/a)              n/a    n/a    n/a    n/a
    """)
    assert parse_threads(text) == (
        (ThreadPlace(index=0, name="vpp_main", cpu=None), ThreadPlace(index=1, name="vpp_wk_0", cpu=None)),
        (),
    )


def write_tar(path: Path, files: dict[str, bytes], mode: str = "w", links: dict[str, str] | None = None) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return path


def names_of(captures: tuple[Capture, ...]) -> list[set[str]]:
    return [set(capture.texts) for capture in captures]


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_an_archive_of_texts_of_any_names_is_read(tmp_path: Path, mode: str) -> None:
    files = {
        "support/2026/a.log": f"+ vppctl show run\n{RUNTIME}".encode(),
        "support/2026/hw.out.gz": gzip.compress(HARDWARE.encode()),
        "support/show_errors.txt": ERRORS.partition("\n")[2].encode(),
        "support/core": b"\0\1\2" * 1000,
        "support/readme": b"nothing",
    }
    (capture,) = read_captures(write_tar(tmp_path / "support.tgz", files, mode))
    assert set(capture.texts) == {"runtime", "hardware", "errors"}


def test_an_archive_of_a_capture_of_ours_is_that_capture(tmp_path: Path) -> None:
    folder = CASES / "vpp2610_switched"
    files = {f"box/{path.relative_to(folder)}": path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    captures = read_captures(write_tar(tmp_path / "box.tar", files))
    ours = read_captures(folder)
    assert [(read.taken_s, read.texts, read.documents, read.whole) for read in captures] == [
        (read.taken_s, read.texts, read.documents, read.whole) for read in ours
    ]


def test_folders_with_texts_of_any_names_are_read(tmp_path: Path) -> None:
    for number, rows in enumerate((RUNTIME, RUNTIME.replace("13.4", "23.4")), start=1):
        (tmp_path / "support" / str(number)).mkdir(parents=True)
        (tmp_path / "support" / str(number) / "sh_run").write_text(rows)
        (tmp_path / "support" / str(number) / "hard").write_text(HARDWARE)
    assert names_of(read_captures(tmp_path)) == [{"runtime", "hardware"}] * 2
    assert names_of(read_captures(tmp_path / "support" / "1")) == [{"runtime", "hardware"}]


def test_one_text_given_twice_is_said(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(RUNTIME)
    (capture,) = read_captures(tmp_path)
    assert capture.remarks == ("b has `show runtime` once more; the last one is taken",)


def test_a_compressed_paste_is_read(tmp_path: Path) -> None:
    (tmp_path / "paste.gz").write_bytes(gzip.compress(f"vpp# show run\n{RUNTIME}".encode()))
    assert names_of(read_captures(tmp_path / "paste.gz")) == [{"runtime"}]


def test_links_and_names_that_lead_out_are_passed_over(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(RUNTIME)
    files = {"../outside": ERRORS.encode(), "/etc/inside": HARDWARE.encode()}
    (capture,) = read_captures(write_tar(tmp_path / "x.tar", files, links={"runtime.txt": str(secret)}))
    assert set(capture.texts) == {"hardware"}
    assert not (tmp_path.parent / "outside").exists()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/link").symlink_to(secret)
    (tmp_path / "folder/hw").write_text(HARDWARE)
    (capture,) = read_captures(tmp_path / "folder")
    assert set(capture.texts) == {"hardware"}


def test_archives_that_are_too_large_or_damaged_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = write_tar(tmp_path / "many.tar", {f"f{number}": b"" for number in range(ARCHIVE_MEMBERS + 1)})
    with pytest.raises(UsageError, match="more than 1000 members"):
        read_captures(many)
    large = gzip.compress(bytes(CAPTURE_BYTES + 1))
    with pytest.raises(UsageError, match=r"larger than 32 MB when it is decompressed"):
        read_captures(write_tar(tmp_path / "large.tar", {"a.gz": large}))
    (tmp_path / "large.gz").write_bytes(large)
    with pytest.raises(UsageError, match=r"larger than 32 MB when it is decompressed"):
        read_captures(tmp_path / "large.gz")
    half = gzip.compress(bytes(CAPTURE_BYTES // 2 + 1))
    with pytest.raises(UsageError, match=r"larger than 32 MB when it is unpacked"):
        read_captures(write_tar(tmp_path / "two.tar", {"a.gz": half, "b.gz": half}))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(RUNTIME.encode())[:-30])
    with pytest.raises(UsageError, match="its end is missing"):
        read_captures(tmp_path / "cut.gz")
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b" + b"x" * 50)
    assert main(["tune", "--from", str(tmp_path / "bad.gz")]) == ExitCode.INVALID
    assert "cannot be decompressed" in capsys.readouterr().err


def test_an_archive_without_anything_of_vpp_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has nothing that the tuner reads"):
        read_captures(write_tar(tmp_path / "x.tar", {"readme": b"hello"}))
