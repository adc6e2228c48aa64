"""What every layer needs and no layer owns: addresses, names, numbers, rates, releases, time, plain data, graphs."""
