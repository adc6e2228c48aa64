"""What every layer needs and no layer owns: addresses, names, numbers, releases, time, plain data."""
