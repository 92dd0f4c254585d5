"""Tables with coarser quasi-identifiers: classes of rows that look alike."""
