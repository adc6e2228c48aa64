"""What VPP is asked and answers, a module per kind of object that has none in `kinds/`. Nothing is sent here."""
