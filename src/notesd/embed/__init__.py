"""Which vector? The texts of a note, and one child process that encodes them."""
