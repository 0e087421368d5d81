// Elements and their text; nothing is ever parsed as markup.

const SVG = new Set(["svg", "path", "line", "rect", "circle", "text", "g", "polyline"]);

// Creates an element; `props` are attributes, except text, style and on... handlers.
export function el(tag, props = {}, ...inside) {
  const node = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, to] of Object.entries(props)) {
    if (to === undefined || to === null || to === false) continue;
    if (name === "text") node.textContent = to;
    else if (name === "style") setStyle(node, to);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), to);
    else node.setAttribute(name, to === true ? "" : to);
  }
  node.append(...inside.filter((each) => each !== null && each !== undefined));
  return node;
}

function setStyle(node, style) {
  for (const [key, to] of Object.entries(style)) {
    if (key.startsWith("--")) node.style.setProperty(key, to);
    else node.style[key] = to;
  }
}

export const swatch = (ink) => el("i", { class: "swatch", style: { background: `var(--${ink})` } });

export const options = (id, pairs) =>
  el("select", { id }, ...pairs.map(([value, text]) => el("option", { value, text })));

let pen = null;

// The width of a text in pixels; size and weight are those of the cards.
export function textWidth(text, size, bold = false) {
  pen ||= document.createElement("canvas").getContext("2d");
  pen.font = `${bold ? 640 : 400} ${size}px ${getComputedStyle(document.documentElement).fontFamily}`;
  return pen.measureText(text).width;
}

// Copies text, or selects the element that shows it if the browser forbids copying.
export async function copyText(text, button, shown = null) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    if (shown) getSelection().selectAllChildren(shown);
    button.textContent = shown ? "Selected" : "Not allowed";
  }
  setTimeout(() => (button.textContent = said), 1600);
}

// Offers a file to the reader.
export function download(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
