"""What does one file say? Decoded text in, a ``Note`` out: title, links, tags, passages, problems.

``kinds`` is the door: it knows who reads which kind of file. ``note`` reads Markdown, ``dialects`` its kin;
``canvas``, ``bases``, ``excalidraw``, ``notebook``, ``org``, ``plain`` and ``pages`` read the others.
``frontmatter`` and
``metadata`` read the properties, ``blocks`` holds the Markdown rules, ``passages`` and ``inline`` walk what
they find; ``wikilinks``, ``tags``, ``fields`` and ``dates`` each know one kind of writing; ``cursor`` walks
JSON; ``terms`` cuts text into the words that search compares.
"""
