"""The messages that a file needs, and releases that lack them."""

from pathlib import Path

from tests.unit.upgrade.routers import change, router
from vppcfg.upgrade.messages import message_findings

SERVICES = (Path(__file__).parents[2] / "chaos" / "services_one.yaml").read_text()


def test_sflow_alone_of_all_services_has_messages_that_an_older_release_lacks() -> None:
    found = message_findings(router(SERVICES), change("26.10", "23.06"))
    assert found
    assert {name.partition("_")[0] for each in found for name in each.text.split() if "_" in name} == {"sflow"}
    assert message_findings(router(SERVICES), change("23.06", "26.10")) == []
