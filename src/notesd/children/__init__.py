"""Child processes of the daemon: how they are spoken to, and how they end."""
