"""Reading data: tables and transactions, from files, databases and dataframes."""

from tacit.data.readers.transactions import read_transactions

__all__ = ["read_transactions"]
