def play() -> None:
    """x"""
