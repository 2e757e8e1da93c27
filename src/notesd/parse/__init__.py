"""What does one text say? Decoded text in, a ``Note`` out: title, links, tags, passages, problems.

``note`` is the door. ``frontmatter`` and ``metadata`` read the properties, ``blocks`` holds the
Markdown rules, ``passages`` and ``inline`` walk what they find; ``wikilinks``, ``tags``, ``fields`` and
``dates`` each know one kind of writing; ``terms`` cuts text into the words that search compares.
"""
