"""What a tree answers, and how good the answers are."""
