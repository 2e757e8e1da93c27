"""In what order? Rankings in, one ranking out; pure arithmetic over ranks and evidence."""
