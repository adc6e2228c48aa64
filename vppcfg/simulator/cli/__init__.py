"""The CLI lines that plans contain, and a few that show what came of them."""
