"""The sections of a configuration file, a module each; `config/section_list` lists them."""
