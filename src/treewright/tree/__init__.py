"""The value everything works on: one flat, immutable tree."""
