"""Other programs' formats: exports, imports, anonymised copies."""
