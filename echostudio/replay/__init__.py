"""A memory, values and a desktop become a report: binding, routes, the engine, and what it leaves behind."""
