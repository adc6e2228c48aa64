#!/bin/sh
# Writes what VPP has as the configuration of the node, for `containerlab save`: nothing on standard error when it
# succeeds, and the place of the file on standard output. With a file there, its comments and its order stay. A file that
# was not applied when the node started is left alone: VPP has little or nothing of it.
set -eu
config=${CONFIG_DIR:-/config}/vpp/vppcfg.yaml
run=${VPP_RUN_DIR:-/run/vpp}
if [ -f "$config" ] && [ "$(cksum <"$config")" = "$(cat "$run/vppcfg.refused" 2>/dev/null)" ]; then
    echo "save-config: $config was not applied when the node started, and is left as it is." >&2
    echo "Change and apply it (\`vppcfg apply -c $config\`), or remove $run/vppcfg.refused, and save again." >&2
    exit 1
fi
if [ -f "$config" ]; then
    # The difference that it prints is of interest only when something goes wrong.
    said=$(vppcfg dump -q --into "$config" -a "$run/api.sock" 2>&1) || { echo "$said" >&2; exit 1; }
else
    vppcfg dump -q -o "$config" -a "$run/api.sock"
fi
echo "$config"
