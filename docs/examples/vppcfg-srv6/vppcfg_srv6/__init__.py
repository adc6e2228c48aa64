"""SRv6 local SIDs as a section of vppcfg's files."""
