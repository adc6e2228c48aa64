"""Secrets of FRR and BIRD, in every form that `vtysh -C` and `bird -p` take, which nobody is to see."""

import pytest

from vppcfg.routing_daemons.bird import _lines, impacts_between
from vppcfg.routing_daemons.frr import impacts_of
from vppcfg.routing_daemons.secrets import hide_in_bird, hide_in_frr, hide_in_message

BIRD = (
    *('password "geheim";', 'password\n"geheim";', 'password"geheim";', 'password/* x */"geheim";', "password geheim;"),
    *('password # "geheim"\n  /* geheim\n geheim */ "a; b } geheim";', 'password "#geheim";', 'password "/* geheim";'),
    *('password "geheim" { id 1; algorithm hmac sha256; };', 'passwords { key "geheim"; password "geheim"; };'),
    *("password hex:00:geheim;", 'password ("geheim" + f("geheim"));', 'keys { key { id 1; secret "geheim"; }; };'),
    *('password "geheim', 'password "geheim"', 'bfd { password "geheim"; };', 'password "gehe\\";'),
    *(
        'define PW = "geheim";\npassword PW;',
        "define 'a.b' = \"geheim\";\npassword 'a.b';",
        'define BGP_PW = "geheim";',
    ),
    *('define A = "geheim";\ndefine B =\n A;\npassword (B);', 'define /* x */ C\n= "geheim"; password\n# y\nC;'),
    *('function f() { if 1 = 1 then { return "geheim"; } return "geheim"; }\npassword (f());', '# password "geheim";'),
    *('/* password "geheim";\n secret "geheim" */', '# neighbor 1.2.3.4; password "geheim"'),
)
FRR = (
    *("neighbor 192.0.2.2 password geheim", "neighbor 192.0.2.2 password ge heim", "neighbor PG password geheim"),
    *("nei 192.0.2.2 pa geheim", "neighbor\t192.0.2.2\tpassword\tgeheim", "no neighbor 192.0.2.2 password geheim"),
    *("password geheim", "password 8 geheim", "pa geheim", "enable password geheim", "e p geheim", "en pa 8 geheim"),
    *("key-string geheim", "key- geheim", "key geheim", "k geheim", "key-string ge heim"),
    *("ip ospf authentication-key geheim", "ip ospf authentication geheim", "ip ospf a geheim", "ospf auth geheim"),
    *("ip ospf message-digest-key 1 md5 geheim", "ip o m 1 m geheim", "ospf message-digest-key 1 md5 geheim 1.2.3.4"),
    *("area 0 virtual-link 1.2.3.4 authentication-key geheim", "area 0 virtual-link 1.2.3.4 authentication geheim"),
    *("ar 0 v 1.2.3.4 hello-interval 5 authentication message-digest mess 1 m geheim", "d m geheim", "i p m geheim"),
    *("ipv6 ospf6 authentication key-id 1 hash-algo md5 key geheim", "ipv6 o a key-id 1 h hmac-sha-1 key geheim"),
    *("isis password md5 geheim", "isis p c geheim", "openfabric password clear geheim", "area-password clear geheim"),
    *("a c geheim", "domain-password md5 geheim authenticate snp validate", "ip rip authentication string geheim"),
    *("ip r a s geheim", "ip nhrp authentication geheim", "ipv6 n a geheim", "msdp peer 192.0.2.2 password geheim"),
    *("ip msdp p 192.0.2.2 p geheim", "tcp-md5-auth geheim", "t geheim", "! neighbor 192.0.2.2 password geheim"),
    *("! was: pa geheim", "neighbor 192.0.2.2 tcp-ao send-id 1 geheim", "neighbor 192.0.2.2 passwort geheim"),
)
MESSAGES = (
    *("% Unknown: x ip rip authentication string geheim", "% Unknown: x ip nhrp authentication geheim"),
    *(f"line 16: % Unknown command[25]:  {line}" for line in FRR),
    *(f"% Ambiguous command: {line}" for line in FRR),
    *('bird: /etc/bird.conf:3:1 near password "geheim"', "ERROR: vtysh -c 'neighbor 192.0.2.2 password geheim'"),
)


@pytest.mark.parametrize("line", FRR)
def test_no_secret_of_frr_is_shown(line: str) -> None:
    shown = hide_in_frr(f"router bgp 1\n  {line}\nexit\n")
    for text in (shown, *texts(impacts_of([("+", f" {line}"), ("-", line)]))):
        assert "heim" not in text
    first, changed, *rest = shown.split("\n")
    assert [first, *rest] == ["router bgp 1", "exit", ""]
    assert "***" in changed


@pytest.mark.parametrize("text", BIRD)
def test_no_secret_of_bird_is_shown(text: str) -> None:
    whole = f"router id 10.0.0.9;\n{text}\n"
    shown = hide_in_bird(whole)
    assert "heim" not in shown
    assert "gehe" not in shown
    assert "***" in shown
    assert shown.count("\n") == whole.count("\n")
    assert shown.startswith("router id 10.0.0.9;\n")
    for each in texts(impacts_between("", text)):
        assert "heim" not in each


@pytest.mark.parametrize("line", MESSAGES)
def test_no_secret_is_in_what_a_daemon_reports(line: str) -> None:
    assert "heim" not in hide_in_message(line)


@pytest.mark.parametrize(
    "line",
    [
        *(" neighbor 192.0.2.2 description the password", "service password-encryption", " neighbor 192.0.2.2 passive"),
        *(" key 1", "key chain a", " ip ospf authentication message-digest", " ip ospf authentication key-chain a"),
        *(" area 0 virtual-link 1.2.3.4 hello-interval 5", " area 0 authentication", " ip ospf area 0", "exit"),
        *(" neighbor 192.0.2.2 peer-group PG", " neighbor 192.0.2.2 port 179", " ip rip authentication mode text"),
        *("% Can't find static route specified", "% The peer isn't a member"),
        *("ipv6 route ::/0 2001:db8::e", " ip address 192.0.2.1/24", " authentication key-chain a"),
    ],
)
def test_what_is_no_secret_of_frr_stays(line: str) -> None:
    assert hide_in_frr(line) == line


@pytest.mark.parametrize(
    "text",
    [
        *("passwords { };", 'authentication cryptographic;\ndescription "a password";', 'bird private key "/etc/key";'),
        *('define OWN = 65001;\nprotocol bgp a { password "x"; local as OWN; }', "define MONKEYS = [ 65001 ];"),
        *("# a comment\nfilter f { if net ~ [ 10.0.0.0/8{24,32} ] then accept; }", 'interface "password*" { };'),
    ],
)
def test_what_is_no_secret_of_bird_stays(text: str) -> None:
    assert hide_in_bird(text) == text.replace('password "x"', "password ***")


def test_a_secret_that_changes_is_a_line_that_goes_and_one_that_comes() -> None:
    before = 'define PW = "geheim";\ntemplate bgp t {\n  password PW;\n  hold time 9;\n}\n'
    after = before.replace("geheim", "insgeheim").replace("9", "30")
    assert list(_lines(before, after)) == [
        *("- define PW ***;", "+ define PW ***;"),
        *("-   hold time 9;", "+   hold time 30;"),
    ]


def test_a_constant_stays_hidden_when_its_use_goes_or_comes() -> None:
    used, unused = 'define A = "geheim";\npassword A;\n', 'password "";\n  define A = "geheim";\n'
    for pair in ((used, unused), (unused, used)):
        assert "geheim" not in "".join(_lines(*pair))


def test_long_texts_take_no_time() -> None:
    """What has no end, or names a thousand constants, is read in time that grows with its length."""
    chain = "".join(f"define C{number + 1} = C{number};\n" for number in range(40))
    for text in (
        'password "' * 20_000,
        "pass" * 50_000,
        "auth" * 50_000,
        "#a/*" * 50_000,
        f"{chain}password C40;",
        "area 0 virtual-link a" + " b" * 50_000,
    ):
        hide_in_frr(text)
        hide_in_bird(text)


def texts(impacts: object) -> list[str]:
    return [str(impact) for impact in impacts]  # type: ignore[attr-defined]
