"""Why a node is split as it is, or not at all."""
