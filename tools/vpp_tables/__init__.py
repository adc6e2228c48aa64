"""Writes what VPP's own source says of each release: schema/vpp-tables.txt for checks that need no VPP,
schema/vpp-api.json, its API, for the simulator.

`python -m tools.vpp_tables REPOSITORY` reads a clone of VPP's repository, without network and without building
anything; the same clone gives the same bytes. `--diff OLD NEW` tells what a new release changes instead, and
`--uncertain` what could not be read, for which decisions stand in decided.yaml. Messages need the package `ply`.
"""
