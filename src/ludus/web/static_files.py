"""The files of the page, and how browsers keep them."""

from importlib.resources import files

STATIC_FOLDER = files(__package__).joinpath("static")

REVALIDATE_HEADERS = {"Cache-Control": "no-cache"}
"""Let the browser revalidate each file; the files are small and the server is near."""


def read_document(name: str, head: str = "") -> str:
    """Return an HTML file of the page, with more elements in its head."""
    text = STATIC_FOLDER.joinpath(name).read_text(encoding="utf-8")
    return text.replace("</head>", f"{head}\n</head>", 1) if head else text
