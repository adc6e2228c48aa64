"""All operations, for tests that hold something of every one of them."""

import sys

from vppcfg.operations.operation import Operation


def every_operation(base: type[Operation] = Operation) -> list[type[Operation]]:
    """Return the classes of operations that nothing is derived from, in order of their names.

    A class with slots is made twice, and the first one is forgotten but still among the subclasses.
    """
    found: list[type[Operation]] = []
    for kind in base.__subclasses__():
        if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind:
            found += every_operation(kind) or [kind]
    return sorted(found, key=lambda kind: kind.__name__)
