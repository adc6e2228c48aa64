"""Makes `python -m vppcfg` the vppcfg command."""

from __future__ import annotations

import sys

from vppcfg.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
