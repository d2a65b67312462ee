"""From visits to estimates, and from estimates to ratios and verdicts: pure, no drawing."""
