"""From a tree to pictures: SVG, matplotlib, mermaid, dot, charts."""
