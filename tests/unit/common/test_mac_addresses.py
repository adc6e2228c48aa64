"""MAC addresses in every form."""

from typing import Any

import pytest

from vppcfg.common.addresses import canonical_mac


@pytest.mark.parametrize(
    "text", ["02:00:5e:00:53:01", "02:00:5E:00:53:01", "02-00-5E-00-53-01", "0200.5E00.5301", "02005e005301"]
)
def test_all_forms_are_one_address(text: str) -> None:
    assert canonical_mac(text) == "02:00:5e:00:53:01"


@pytest.mark.parametrize(
    "value",
    [
        "", "2:0:5e:0:53:1", "02:00:5e:00:53", "02:00:5e:00:53:01:02", "02:00-5e:00:53:01", "0200:5e00:5301",
        "02:00:5e:00:53:0g", " 02:00:5e:00:53:01", "02:00:5e:00:53:01\n", None, 5, True, [],
    ],
)  # fmt: skip
def test_anything_else_is_none(value: Any) -> None:
    assert canonical_mac(value) is None
