"""From a run to a candidate, and what stands between a candidate and promotion.

Pure rules over values: nothing here reads a run folder, a picture or the library. A proposal never edits the run; what
the person overrules is stored beside it and given to ``propose`` again.
"""
