"""The command line as data, and what is made from it: completion for shells, manual pages. Runs no command."""
