"""What each study means: rows from a campaign once, then text of the rows."""
