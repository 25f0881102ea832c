"""People at the console: PINs, sessions, tokens and their audit."""
