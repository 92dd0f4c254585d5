"""What people touch: command line, page, recipes, reports, demo."""
