"""How does notesd come to a machine, and is all well there?"""
