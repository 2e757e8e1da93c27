"""What does each name point to? Names are folded and looked up here; nothing is read from disk."""
