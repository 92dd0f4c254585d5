"""How much a table gives away as it stands: figures, named standards, attacks with the original."""
