"""The memory repository: revisions with evidence, their life, and what replays made of them; pictures lie beside it.

Decisions (2026-11):

* A revision is written once and never updated, except for its lifecycle state; every change of that state, every
  validation and every lineage edge is a row that is only ever added. On SQLite triggers hold the event table to that.
* Bodies that nobody queries are JSON by ``episode.wire``; what lists, searches and joins need stands in columns.
* Writers take the database's write lock first (``BEGIN IMMEDIATE``), so that two processes queue up instead of
  failing half way; readers see one snapshot per call. A session lives inside one call and never leaves its thread.
* Pictures are copied before the transaction that refers to them: a crash in between leaves unreferenced pictures,
  never a memory without its evidence.
* Migrations are frozen table definitions of their own (``schema_v1``), not today's models: an old library is brought
  up by the same steps for ever. A test holds the models and the migrated schema to each other.
"""

from echostudio.repository.pictures import pictures_of
from echostudio.repository.store import Repository

__all__ = ["Repository", "pictures_of"]
