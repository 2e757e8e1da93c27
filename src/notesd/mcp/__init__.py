"""How does an agent ask? The Model Context Protocol on standard input and output, over our own client."""
