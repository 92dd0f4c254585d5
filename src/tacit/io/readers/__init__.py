"""Reading data: tables and transactions, from files, databases and dataframes."""

from tacit.io.readers.tables import read_table
from tacit.io.readers.transactions import read_transactions

__all__ = ["read_table", "read_transactions"]
