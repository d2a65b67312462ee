"""Decides: turns measurements into typed conclusions. This room builds no text."""
