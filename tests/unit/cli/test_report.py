"""`vppcfg report`: one archive with everything but secrets, and who reads it."""

import gzip
import io
import json
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import forked
from tests.unit.app.monitoring.routers import Router, running
from vppcfg.common.report_archive import members_of, pack, report_in
from vppcfg.common.unpacking import files_in_archive
from vppcfg.errors import UsageError

REPORT = b'{"kind": "vppcfg-report"}'
FILE = """
interfaces:
  eth0: { description: to Zurich, mtu: 9000 }
hooks:
  after-apply: ["/bin/true --token=hunter2"]
"""


@pytest.fixture
def vpp(tmp_path: Path) -> Iterator[Router]:
    with running(tmp_path) as found:
        (tmp_path / "r.yaml").write_text(FILE)
        (tmp_path / "etc/vpp").mkdir(parents=True)
        (tmp_path / "etc/vpp/startup.conf").write_text("unix { nodaemon }\n# password: hunter3\n")
        yield found


def vppcfg(*words: str) -> subprocess.CompletedProcess[str]:
    return forked.run(words, 120)


def reported(folder: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    output = folder / "report.tar.gz"
    options = ["-a", str(folder / "api.sock"), "-c", str(folder / "r.yaml"), "--state-dir", str(folder / "state")]
    more = ["--root", str(folder), "--readings", "2", "--interval", "0.2", "--no-log"]
    return vppcfg("report", "-o", str(output), *options, *more, *words), output


def members(path: Path) -> dict[str, bytes]:
    found = report_in(str(path))
    assert found is not None
    return found


def test_everything_is_in_one_archive_but_for_secrets(vpp: Router) -> None:
    done, path = reported(vpp.folder, "--no-capture")
    assert done.returncode == 0, done.stderr
    found = members(path)
    assert {"report.json", "config/r.yaml", "check.txt", "etc/vpp/startup.conf", "state.json", "plan.diff",
            "journal.json"} <= set(found)  # fmt: skip
    assert b"mtu: 9000" in found["config/r.yaml"]
    everything = gzip.decompress(path.read_bytes())
    assert b"hunter" not in everything
    contents = json.loads(found["report.json"])
    assert [each["place"] for each in contents["secrets_removed"]] == ["config/r.yaml:5", "etc/vpp/startup.conf:2"]
    assert "etc/vpp/startup.conf:2: password" in done.stdout
    assert "Read it before you send it" in done.stdout
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with tarfile.open(path) as archive:
        assert len({name.split("/")[0] for name in archive.getnames()}) == 1


def test_what_is_missing_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(FILE)
    done, path = reported(tmp_path, "-c", "/dev/zero")
    assert done.returncode == 4
    found = members(path)
    assert "config/r.yaml" in found
    missing = json.loads(found["report.json"])["missing"]
    assert {"the configuration", "VPP's state", "the plan", "startup.conf", "a capture"} <= set(missing)
    assert "there is no VPP API socket" in missing["VPP's state"]
    assert vppcfg("plan", "-c", str(tmp_path / "r.yaml"), "--against", str(path)).returncode == 3


def test_an_archive_that_is_there_is_not_overwritten(vpp: Router) -> None:
    (vpp.folder / "report.tar.gz").write_text("mine")
    done, path = reported(vpp.folder, "--no-capture")
    assert (done.returncode, path.read_text()) == (3, "mine")
    path.chmod(0o644)
    assert reported(vpp.folder, "--no-capture", "--force")[0].returncode == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_planner_the_tuner_and_adopt_read_it_without_a_vpp(vpp: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.app.capturing._PATIENCE_S", 0.1)  # the counters of this VPP stand still
    done, path = reported(vpp.folder)
    assert done.returncode == 0, done.stderr
    vpp.end()
    planned = vppcfg("plan", "-c", str(vpp.folder / "r.yaml"), "--against", str(path), "--format", "json")
    assert planned.returncode == 0, planned.stderr
    assert json.loads(planned.stdout)["observed"]["interfaces"]["eth0"]
    tuned = vppcfg("tune", "--from", str(path), "--format", "json")
    assert tuned.returncode == 0, tuned.stderr
    assert json.loads(tuned.stdout)["verdict"]
    adopted = vppcfg("adopt", "--from", str(path))
    assert adopted.returncode == 0, adopted.stderr
    assert "eth0:" in adopted.stdout


def test_another_archive_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.gz"
    path.write_bytes(pack("folder", {"report.json": b'{"kind": "other"}', "state.json": b"{}"}, 0))
    assert report_in(str(path)) is None
    path.write_text("text")
    assert report_in(str(path)) is None
    assert report_in(str(tmp_path / "nowhere")) is None


def test_a_damaged_archive_is_refused_or_no_report(tmp_path: Path) -> None:
    whole = pack("folder", {"report.json": REPORT, "state.json": b"{}" * 5000}, 0)
    path = tmp_path / "x.tar.gz"
    path.write_bytes(whole[:-40])
    with pytest.raises(UsageError, match="cannot be decompressed"):
        report_in(str(path))
    plain = gzip.decompress(whole)
    assert members_of(plain[:900]) is None
    assert members_of(gzip.decompress(pack("folder", {"report.json": b"[" * 100_000}, 0))) is None
    for record in (b"size=-99", b"size=" + b"9" * 30, b"GNU.sparse.map=1,2,a,b", b""):
        line = b"%d %s\n" % (len(record) + 4, record) if record else b""
        header = tarfile.TarInfo("x")
        header.type, header.size = tarfile.XHDTYPE, len(line)
        hostile = (header.tobuf(tarfile.USTAR_FORMAT) + line.ljust(512 * bool(line), b"\0")) * (1 if line else 2000)
        # Python 3.13 takes a size below zero for the end of the archive.
        with suppress(UsageError) if record == b"size=-99" else pytest.raises(UsageError):
            files_in_archive(hostile + plain, "x.tar")


def test_a_member_that_leads_out_of_the_archive_is_passed_over() -> None:
    target = io.BytesIO(gzip.decompress(pack("r", {"report.json": REPORT, "../../state.json": b"{}"}, 0)))
    with tarfile.open(fileobj=target, mode="a") as archive:
        link = tarfile.TarInfo("r/state.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert members_of(target.getvalue()) == {"report.json": REPORT}
