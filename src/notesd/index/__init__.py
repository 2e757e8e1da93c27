"""What is remembered? One derived database per space, with all SQL of a table group in one module."""
