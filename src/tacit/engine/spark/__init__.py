"""The engine on Spark: many blocks of rows."""
