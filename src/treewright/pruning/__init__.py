"""Trees of the right size: weakest links, cross-validation, validation, pessimism."""
