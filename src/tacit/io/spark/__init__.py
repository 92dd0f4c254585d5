"""Tables and transactions that stay on an Apache Spark cluster: only their counts come into this process."""
