"""Pruning: weakest links, cross-validation, validation rows, pessimistic bounds."""
