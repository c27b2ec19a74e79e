"""Placeholder until written."""
from PySide6.QtWidgets import QLabel
from echostudio.studio.page import Page
class TimelinePage(Page):
    def __init__(self, studio):
        super().__init__("timeline"); self._h=QLabel("timeline"); self.opened=""
    def header(self): return self._h
    def deeds(self): return ("studio.help",)
    def open(self, ref): self.opened=ref
    def closing(self): pass
    def show_desktops(self, r): pass
