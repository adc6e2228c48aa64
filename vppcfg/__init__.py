"""vppcfg: plan, apply and tune the configuration of an FD.io VPP router."""

__version__ = "2.0.0"
