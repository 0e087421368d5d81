"""Reading tables: any table becomes columns, a target, weights and a schema."""
