"""Communication with other programs: the text engine, and players backed by other engines."""
