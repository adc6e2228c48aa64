"""What vppcfg does for whoever asks, the command or a program: changes, ways back, confirmations, boots, watches."""
