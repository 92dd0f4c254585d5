"""Building blocks of what people see: text, charts, HTML."""
