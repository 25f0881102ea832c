"""Host: clock, log, standard outputs, systemd, the installed program."""
