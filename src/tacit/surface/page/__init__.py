"""The page: the whole job in a browser on the user's own computer, without a line of Python."""
