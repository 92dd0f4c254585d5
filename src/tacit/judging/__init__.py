"""What several methods share in judging: profiles, roles, columns that tell, composition of releases."""
