"""Writes schema/vpp-tables.txt: what VPP's own source says of each release, for checks that need no VPP.

`python -m tools.vpp_tables REPOSITORY` reads a clone of VPP's repository, without network and without building
anything; the same clone gives the same bytes. `--diff OLD NEW` tells what a new release changes instead, and
`--uncertain` what could not be read, for which decisions stand in decided.yaml. Messages need the package `ply`.
"""
