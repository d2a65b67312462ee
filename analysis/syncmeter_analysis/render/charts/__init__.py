"""The figures: each module makes one kind from a campaign, as Vega-Lite by way of Altair."""
