"""FRR and BIRD: their configuration checked, compared, loaded and taken back with the state of VPP."""
