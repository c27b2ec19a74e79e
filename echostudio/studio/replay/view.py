"""Placeholder until written."""
from PySide6.QtWidgets import QLabel
from echostudio.studio.page import Page
class ReplayPage(Page):
    def __init__(self, studio):
        super().__init__("replay"); self._h=QLabel("replay"); self.opened=""
    def header(self): return self._h
    def deeds(self): return ("studio.help",)
    def open(self, ref): self.opened=ref
    def closing(self): pass
    def show_desktops(self, r): pass
