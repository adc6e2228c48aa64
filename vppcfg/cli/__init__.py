"""The vppcfg command: arguments come in, text and exit codes go out. The only package that prints."""
