"""Conditions on columns: rules and formulas."""
