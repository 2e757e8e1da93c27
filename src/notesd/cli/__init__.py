"""The command line: words in, one request to the daemon, text for people or for programs out."""
