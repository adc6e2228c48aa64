"""Classes of QoS on VPP's command line."""

import pytest

from vppcfg.kinds.qos import RemoveQosStore, SetQosStore
from vppcfg.model.qos import QosStore
from vppcfg.render.plan_text import cli_line


@pytest.mark.parametrize(("kind", "end"), [(SetQosStore, ""), (RemoveQosStore, " disable")])
def test_a_class_is_stored_by_a_line_only_where_the_prompt_reads_its_value(
    kind: type[SetQosStore | RemoveQosStore], end: str
) -> None:
    operation = kind(item=QosStore(interface="eth0", value=46))
    assert cli_line(operation, "25.06-release") == f"qos store ip eth0 value 46{end}"
    assert cli_line(operation, "25.02-release") is None
