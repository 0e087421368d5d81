"""Tables in: any table becomes columns, a target, weights and a schema."""
