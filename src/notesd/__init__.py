"""notesd: a search daemon for folders of Markdown notes.

files      what is on disk, and what changed?
parse      what does this text say?
resolve    what does each name point to?
index      what is remembered?
embed      which vector?
rank       in what order?
usage      what was shown and opened?
ingest     how does an index follow its folder?
search     which notes answer?
space      how does one space live?
serve      who asks?
"""

__version__ = "0.1.0"
