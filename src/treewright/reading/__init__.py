"""From a tree to understanding: text, frames, answers, importance."""
