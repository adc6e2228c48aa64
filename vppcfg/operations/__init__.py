"""What plans are made of: operations with their messages, steps and their order, and the states between them."""
