"""All Qt: the main window, its pages, and the one bridge from events to the screen."""
