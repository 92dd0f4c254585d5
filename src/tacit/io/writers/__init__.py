"""Writing data: tables and transactions, into files and databases."""

from tacit.io.writers.tables import write_table
from tacit.io.writers.transactions import write_transactions

__all__ = ["write_table", "write_transactions"]
