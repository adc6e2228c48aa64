"""What a file says, as records: its entries, the bases of its sections, and the text that they are read from."""
