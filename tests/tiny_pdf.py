"""PDFs made in tests: as small as they can be, and as broken as they are wanted."""

import zlib
from collections.abc import Sequence


def shown(text: str) -> bytes:
    """Return a content stream that shows some lines."""
    lines = b"".join(b"(%s) Tj T* " % line.encode("latin-1") for line in text.split("\n"))
    return b"BT /F1 12 Tf 14 TL 72 720 Td " + lines + b"ET"


def pdf(
    pages: Sequence[str | bytes],
    *,
    trailer: bytes = b"",
    info: bytes = b"",
    kids: bytes | None = None,
    count: int | None = None,
) -> bytes:
    """Write a PDF.

    Args:
        pages: Text of each page; bytes: its content stream, already compressed with Flate.
        trailer: More of the trailer.
        info: Entries of the information dictionary.
        kids: What the page tree holds, where it is not the pages.
        count: Pages that the tree claims.
    """
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    references = []
    for page in pages:
        data = zlib.compress(shown(page)) if isinstance(page, str) else page
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(data), data))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        references.append(b"%d 0 R" % len(objects))
    tree = b" ".join(references) if kids is None else kids
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (tree, len(pages) if count is None else count)
    objects.append(b"<< %s >>" % info)
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R %s >>\n" % (
        len(objects) + 1,
        len(objects),
        trailer,
    )
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def encrypted() -> bytes:
    """Return a PDF that nobody knows the password of."""
    sealed = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >> /ID [<00> <00>]"
    return pdf(["secret"], trailer=sealed % (b"11" * 32, b"22" * 32))


def bomb(size: int) -> bytes:
    """Return a PDF whose only page unfolds to so many bytes."""
    packer = zlib.compressobj(9)
    piece = b"(a) Tj " * 10_000
    begin = packer.compress(b"BT /F1 12 Tf 14 TL 72 720 Td ")
    data = begin + b"".join(packer.compress(piece) for _ in range(size // len(piece))) + packer.flush()
    return pdf([data])
