"""EchoStudio: demonstrate GUI work, curate it into an executable memory, replay it safely."""

__version__ = "0.1.0"
