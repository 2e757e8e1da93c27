"""Models as files: which ones are known, how they are fetched, checked, converted and opened."""
