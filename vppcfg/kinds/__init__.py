"""All that vppcfg knows about each kind of object, a module each; `kind_list` lists them."""
