"""GRE tunnels (plugins/gre/interface.c)."""

from __future__ import annotations

from vppcfg.model.gre import Gre
from vppcfg.plan.operations.tunnel import CreateTunnel, DeleteTunnel
from vppcfg.record import record


@record
class CreateGre(CreateTunnel):
    """gre_tunnel_add_del_v2: make `greN`, born down."""

    tunnel: Gre


@record
class DeleteGre(DeleteTunnel):
    """gre_tunnel_add_del_v2: remove a tunnel, which VPP finds by all that it was made with."""

    making = Gre

    tunnel: Gre
