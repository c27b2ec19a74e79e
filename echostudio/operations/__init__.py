"""One file per deed; the only thing that the doors (studio, command line) call."""
