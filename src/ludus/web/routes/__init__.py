"""FastAPI routes: one game (`games`), and everything else (`catalogue`)."""
