"""A script has keys in its lines: they are in no report, in no configuration, and in no file that others can read."""

from pathlib import Path

import pytest

from tests.wireguard_keys import PEERS, PRIVATE, PUBLIC
from vppcfg.cli.main import main
from vppcfg.model.secret_key import key_text

KEY = key_text(PRIVATE[3])
ASSOCIATION = "4a506a794f574265564551694d653768"
SCRIPT = f"""\
wireguard create listen-port 51820 private-key {KEY} src 192.0.2.1 instance 0
wireguard create listen-port 51821 private-key {KEY} src 192.0.2.1 instance 0
wireguard create listen-port 51821 privatekey {KEY} src 192.0.2.1 instance 1
wireguard peer add wg0 public-key {PEERS[0]} preshared-key {KEY} allowed-ip 10.7.0.2/32
wireguard peer add wg9 public-key {PEERS[0]} preshared-key {KEY} allowed-ip 10.7.0.2/32
set interface mtu packet 1420 wg0
set interface state wg0 up
"""


@pytest.mark.parametrize("report", ["text", "json"])
def test_a_key_of_a_script_is_told_by_what_it_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], report: str
) -> None:
    script = tmp_path / "script.vpp"
    script.write_text(SCRIPT)
    main(["adopt", "--from", str(script), "--past-errors", "--report", report])
    shown = "".join(capsys.readouterr())
    assert KEY[:8] not in shown
    assert "<withheld>" in shown
    assert f"public-key: {PUBLIC[3]}" in shown


@pytest.mark.parametrize("report", ["text", "json"])
def test_no_secret_of_what_is_left_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], report: str) -> None:
    script = tmp_path / "script.vpp"
    script.write_text(
        "ipsec sa add 10 spi 1 esp crypto-alg aes-cbc-128 crypto-key 4a506a79 integ-alg sha1-96 integ-key 4339314b\n"
        "bfd key set conf-key-id 1 type keyed-sha1 secret 4d6d3547\n"
        "ikev2 profile add p\nikev2 profile set p auth shared-key-mic string Vpp123\n"
        "create interface memif id 0 secret hidden\n"
    )
    main(["adopt", "--from", str(script), "--report", report])
    shown = "".join(capsys.readouterr())
    assert "conf-key-id" in shown
    for secret in ("4a506a79", "4339314b", "4d6d3547", "Vpp123", "hidden"):
        assert secret not in shown


@pytest.mark.parametrize("report", ["text", "json"])
def test_secrets_of_what_stays_in_the_rest_are_for_its_owner_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], report: str
) -> None:
    script, rest = tmp_path / "script.vpp", tmp_path / "vppcfg-rest.vpp"
    script.write_text(f"ipsec sa add 10 spi 1000 esp crypto-alg aes-gcm-128 crypto-key {ASSOCIATION}\n")
    rest.write_text("")
    main(["adopt", "--from", str(script), "-o", str(tmp_path / "r.yaml"), "--force", "--report", report])
    shown = "".join(capsys.readouterr())
    assert ASSOCIATION not in shown
    assert "<withheld>" in shown
    assert ASSOCIATION in rest.read_text()
    assert rest.stat().st_mode & 0o777 == 0o600
    script.write_text("classify table mask l3 ip4 src\n")
    main(["adopt", "--from", str(script), "-o", str(tmp_path / "o.yaml"), "--rest", str(tmp_path / "other.vpp")])
    assert (tmp_path / "other.vpp").stat().st_mode & 0o044
