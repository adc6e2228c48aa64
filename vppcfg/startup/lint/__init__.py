"""Whether a startup.conf that somebody wrote is good: its form, words and sense, the machine, and VPP's own habits."""
