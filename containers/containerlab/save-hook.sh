# Read by each bash before its commands (BASH_ENV): makes `containerlab save` write the configuration of the node.
#
# In a node of kind fdio_vpp containerlab runs `bash -c "echo TODO(pim): Not implemented yet - needs vppcfg in the Docker
# container"` (nodes/fdio_vpp/fdio_vpp.go, saveCmd), and takes whatever comes on standard error for a failure.
unset BASH_ENV
case ${BASH_EXECUTION_STRING-} in
"echo TODO(pim): Not implemented yet"*) exec "${SAVE_CONFIG:-/sbin/save-config.sh}" ;;
esac
