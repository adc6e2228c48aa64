"""What another release of VPP does differently for one router: found without that release, and rehearsed on a model."""
