// What the parts of a page share: the model, the reader's choices, and messages.

// `root` contains the elements of page.html: a document or a shadow root.
export function makePage(root, model) {
  // Closed nodes, the selected node, the nodes on a path, the nodes that a search found.
  const choice = {
    closed: new Uint8Array(model.N),
    selected: 0,
    highlighted: new Set(),
    matches: new Set(),
  };
  const listeners = new Map();
  return {
    root,
    model,
    choice,
    still: matchMedia("(prefers-reduced-motion: reduce)"),
    byId: (id) => root.querySelector(`#${id}`),
    isOpen: (i) => !model.isEnd(i) && !choice.closed[i],
    listen(name, hear) {
      listeners.set(name, [...(listeners.get(name) || []), hear]);
    },
    tell(name, ...what) {
      for (const hear of listeners.get(name) || []) hear(...what);
    },
  };
}
