"""How does one space live: watched, written, read, asked how it is?"""
