"""What the entries of a file must be to each other, a module per subject; `rule_list` lists the rules."""
