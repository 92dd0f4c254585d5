"""The engine in this process: one block of rows."""
