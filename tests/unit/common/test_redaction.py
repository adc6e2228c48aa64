"""Secrets are taken out of text and named; what is none stays, and so does the number of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.common.redaction import REMOVED, redacted, redacted_document, without_secrets

SECRET = "Xy7-sEcReT_42"


@pytest.mark.parametrize(
    "line",
    [
        f"    secret: {SECRET}",
        f"  memif0: {{ secret: {SECRET}, mtu: 1500 }}",
        f'password: "{SECRET}" # of the peer',
        f"'shared-key' = '{SECRET}'",
        f'{{"api_key": "{SECRET}", "x": 1}}',
        f"ipsec sa add 10 spi 1 esp crypto-key {SECRET} crypto-alg aes-gcm-256",
        f"Nov 26 vpp: integ-key {SECRET}",
        f"wireguard create private-key {SECRET} src 192.0.2.1",
        *(f"community: {SECRET}", f"password: !!str &a {SECRET} and more", f"password:\n  {SECRET}"),
        *(f"passwords: [a,\n  {SECRET}]", f"[ curl, --token, {SECRET} ]", f"- --token\n- {SECRET}"),
        *(f"PGPASSWORD={SECRET} x", f'-H "Authorization: Bearer {SECRET}"', f"access_key={SECRET}"),
        *(f"SECRET_KEY={SECRET} x", f"secret-key: {SECRET}"),
        *(f"password 8 {SECRET}", f"message-digest-key 1 md5 {SECRET}", f"shared-key-mic string {SECRET}"),
        *(f"https://admin:{SECRET}@192.0.2.1/api", f"redis://:{SECRET}@192.0.2.1/0"),
        *(f"vpp_password={SECRET}", f"secret-key {SECRET}", f"secretKey: {SECRET}", f"validator-key {SECRET}"),
        *(f"[ curl, -u, 'admin:{SECRET}' ]", f"curl --user=admin:{SECRET} https://192.0.2.1/", f"pwd={SECRET}"),
        f"secret: |\n  {SECRET}\n  {SECRET}\nmtu: 9000",
        f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\nend",
        f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}",
    ],
)
def test_a_secret_is_taken_out_and_named(line: str) -> None:
    text, removals = redacted(f"first\n{line}\nlast", "r.yaml")
    assert SECRET not in text
    assert text.count("\n") == f"first\n{line}\nlast".count("\n")
    assert removals
    assert removals[0].place.startswith("r.yaml:")
    assert text.startswith("first\n")
    if "BEGIN RSA" not in line:
        assert text.endswith("\nlast")


@pytest.mark.parametrize(
    "line",
    [
        "ipsec sa add 10 spi 1 esp crypto-alg aes-gcm-128 crypto-key {} integ-key {} salt 0x1",
        "wireguard create listen-port 1 private-key {} src 192.0.2.1",
        "bfd key set conf-key-id 1 type keyed-sha1 secret {}",
        "ikev2 profile set pr1 auth shared-key-mic string {}",
        "create interface memif id 0 secret {} master",
        "lisp eid-table add eid 6.0.1.0/24 locator-set ls1 key hmac-sha-1-96 secret-key {}",
        "set pot profile name p id 0 validator-key {} prime-number 0x1 secret_share {}",
    ],
)
@pytest.mark.parametrize("secret", ["4a506a794f574265", "{a b}", r"a\ b"])
def test_no_secret_of_a_command_is_shown(line: str, secret: str) -> None:
    assert without_secrets(line.replace("{}", secret)) == line.replace("{}", "<withheld>")


def test_a_document_without_its_secrets_is_one_still() -> None:
    document = {"a": f"psk {SECRET}", "b": 5, "token": [SECRET, None], "password": {"x": 7}}
    document["run"] = ["curl", "--api-key", SECRET, "x"]
    plain = {"a": f"psk {REMOVED}", "b": 5, "token": [REMOVED, None], "password": {"x": REMOVED}}
    plain["run"] = ["curl", "--api-key", REMOVED, "x"]
    found = redacted_document(document, "f")
    assert found[0] == plain
    assert [each.place for each in found[1]] == ["f.a:1", "f.token", "f.password.x", "f.run"]


def test_what_stands_around_a_secret_stays() -> None:
    text, removals = redacted('memif0: { secret: abc, mtu: 1500 }\npassword: "a b" # x\nd: "psk abc"\n', "f")
    assert text == 'memif0: { secret: REMOVED, mtu: 1500 }\npassword: "REMOVED" # x\nd: "psk REMOVED"\n'
    assert [(each.place, each.name) for each in removals] == [("f:1", "secret"), ("f:2", "password"), ("f:3", "psk")]


@pytest.mark.parametrize(
    "line",
    [
        *("private-key-file: /etc/vppcfg/wg0.key", "public-key: 1234567890abcdef", "description: a key customer"),
        *("secret: null", "# the secret is in a file", "http://192.0.2.1:8080/path@x", "lcp: e0"),
    ],
)
def test_what_is_no_secret_stays(line: str) -> None:
    assert redacted(line, "f") == (line, ())


@given(text=st.text())
def test_lines_stay_lines_and_twice_is_once(text: str) -> None:
    once, _ = redacted(text, "f")
    assert once.count("\n") == text.count("\n")
    assert redacted(once, "f")[0] == once
