"""One room for each method, named after its verb."""
