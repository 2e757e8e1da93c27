"""What do editors load to search notes? Each file is whole and needs nothing but its editor."""
