"""How does an index follow its folder?"""
