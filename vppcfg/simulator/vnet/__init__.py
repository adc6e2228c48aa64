"""What VPP's vnet layer and linux-cp do to the tables, behind the API and the CLI alike."""
