"""Trees as programs for other places: one file per format, all from one `Program`."""
