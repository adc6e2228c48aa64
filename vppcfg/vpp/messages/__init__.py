"""API messages, a module per kind of object; `vpp/message_list` lists them. Nothing is sent or received here."""
