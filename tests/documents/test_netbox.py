"""docs/examples/netbox.yaml.j2 on interfaces in the shape in which NetBox's API and its inventory plug-in give them."""

import json
from pathlib import Path

import jinja2

from vppcfg.config.load import parse_text

HERE = Path(__file__).parent
TEMPLATE = HERE.parents[1] / "docs" / "examples" / "netbox.yaml.j2"


def rendered(interfaces: list[dict[str, object]]) -> str:
    """Return the configuration, with line ends as Ansible's template lookup has them."""
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.ChainableUndefined)
    return environment.from_string(TEMPLATE.read_text()).render(interfaces=interfaces)


def test_what_netbox_has_becomes_a_configuration_without_a_problem() -> None:
    loaded = parse_text(rendered(json.loads((HERE / "netbox.json").read_text())), "ams1.yaml")
    assert loaded.problems == ()
    assert loaded.configuration is not None
    interfaces = loaded.configuration.interfaces
    assert sorted(interfaces) == [
        *("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "GigabitEthernet3/0/0.100"),
        *("GigabitEthernet5/0/0", "GigabitEthernet6/0/0", "loop0"),
    ]
    uplink, customer = interfaces["GigabitEthernet1/0/0"], interfaces["GigabitEthernet3/0/0.100"]
    assert (uplink.mtu, uplink.addresses) == (9000, ("192.0.2.0/31", "2001:db8::/127"))
    assert uplink.description == "to fra1: dark fibre", "quotes have no place in it"
    assert uplink.lcp is not None and uplink.lcp.host_name == "xe0"
    assert customer.encapsulation is not None and (customer.encapsulation.outer, customer.encapsulation.is_exact) == (
        100,
        True,
    )
    assert not interfaces["GigabitEthernet5/0/0"].is_up


def test_a_device_without_interfaces_is_an_empty_configuration() -> None:
    assert parse_text(rendered([]), "none.yaml").problems == ()


def test_a_sub_interface_without_a_vlan_has_that_of_its_number() -> None:
    interfaces = json.loads((HERE / "netbox.json").read_text())
    child = next(each for each in interfaces if each["name"] == "GigabitEthernet3/0/0.100")
    for bare in (
        {**child, "untagged_vlan": None},
        {"name": child["name"], "type": child["type"], "parent": child["parent"]},
    ):
        loaded = parse_text(rendered([bare if each is child else each for each in interfaces]), "ams1.yaml")
        assert loaded.problems == ()
        assert loaded.configuration is not None
        found = loaded.configuration.interfaces["GigabitEthernet3/0/0.100"].encapsulation
        assert found is not None
        assert (found.outer, found.is_exact) == (100, True)
