"""What is on disk, and what changed? Folders are listed, watched and read here, never written."""
