"""Which vector? Models and how they are had, texts of a note, and one child process that encodes them."""
