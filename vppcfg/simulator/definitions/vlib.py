"""vlibmemory/vlib.api: CLI commands over the API."""

TEXT = """
version 23.06 1.0.0 9a9e84e4
version 24.10 1.0.0 9a9e84e4
version 26.06 1.0.0 9a9e84e4
version 26.10 1.0.0 9a9e84e4
request cli_inband f8377302: string cmd[]
reply cli_inband_reply 05879051: i32 retval, string reply[]
"""
