"""The studio: all Qt. Pages hold their state in a ``state.py`` without Qt, draw it in a ``view.py``, and call operations."""
