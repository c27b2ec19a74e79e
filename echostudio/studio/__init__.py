"""The studio: all Qt. A page holds its state in ``state.py`` (no Qt), draws it in ``view.py``, and calls operations."""
