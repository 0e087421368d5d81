"""Growing from rows in parts: on disk, or on several machines."""
