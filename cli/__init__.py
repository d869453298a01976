"""The `overlake` command: one thin function per subcommand. May import every other folder; nothing imports it."""
