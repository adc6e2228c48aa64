"""Why tests in network namespaces cannot run here."""

import os
import shutil
import subprocess

PACKAGES = {"trafgen": "netsniff-ng", "iperf3": "iperf3"}


def skip_reason(*programs: str) -> str | None:
    """Return why nothing can be tried with these programs in network namespaces, None when it can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    for program in programs:
        if shutil.which(program) is None:
            return f"there is no program {program} (Debian: {PACKAGES[program]})"
    probe = subprocess.run(("unshare", "--net", "true"), capture_output=True, check=False)
    return "this kernel lets nobody make network namespaces" if probe.returncode else None
