"""Why the configuration language cannot say what an observed object is; one reason is enough, None means that it can.

What objects are to each other is not looked at here, but by the rules.
"""

from vppcfg.config.sayable.acl import why_acl_unsayable
from vppcfg.config.sayable.bridge import why_bridge_unsayable
from vppcfg.config.sayable.interface import why_unsayable

__all__ = ["why_acl_unsayable", "why_bridge_unsayable", "why_unsayable"]
