"""What note ids are compared by. Hot: imports nothing unless an id is not ASCII."""


def id_key(note_id: str) -> str:
    """NFC and case-folded, so that an export works on every file system."""
    if note_id.isascii():
        return note_id.lower()
    import unicodedata  # here: few ids need the tables, and every hook would pay for them

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", note_id).casefold())
