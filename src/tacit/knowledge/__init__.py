"""What a reader knows of a row: kinds of rows, the values each could have, and how likely they are."""
