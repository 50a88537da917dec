"""The files of the page, and how browsers keep them."""

from importlib.resources import files

STATIC_FOLDER = files(__package__).joinpath("static")

REVALIDATE_HEADERS = {"Cache-Control": "no-cache"}
"""Let the browser revalidate each file; the files are small and the server is near."""


def read_document(name: str, head: str = "") -> str:
    """Return an HTML file of the page, with more elements in its head."""
    text = _read_file(name)
    if MATERIALS in text:
        text = text.replace(MATERIALS, _find_materials(_read_file("index.html")))
    return text.replace("</head>", f"{head}\n</head>", 1) if head else text


MATERIALS = "<!-- materials -->"
"""In a document: what boards are made of stands here, as index.html has it."""


def _find_materials(page: str) -> str:
    """Return the patterns of index.html: wood, stone, paper, and the surface of men."""
    start = page.index("<svg")
    return page[start : page.index("</svg>", start) + len("</svg>")]


def _read_file(name: str) -> str:
    return STATIC_FOLDER.joinpath(name).read_text(encoding="utf-8")
