"""The dossier that somebody signs: the first page, scenarios, glossary and annexes of a report."""
