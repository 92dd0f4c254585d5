"""Reading data: tables and transactions, from files, databases and dataframes."""

from tacit.data.readers.tables import read_table
from tacit.data.readers.transactions import read_transactions

__all__ = ["read_table", "read_transactions"]
