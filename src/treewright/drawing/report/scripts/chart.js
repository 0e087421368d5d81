// What charts share: round numbers for axes, and a square chart of two shares.

import { el } from "./dom.js";

// Round numbers between two bounds, about four.
export function niceTicks(low, high) {
  const raw = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const out = [];
  for (let y = Math.ceil(low / step) * step; y <= high; y += step) out.push(y);
  return out;
}

export const SQUARE = { side: 250, left: 46, top: 10, width: 316, height: 306 };
export const atX = (share) => SQUARE.left + share * SQUARE.side;
export const atY = (share) => SQUARE.top + (1 - share) * SQUARE.side;

// Axes from 0% to 100% in both directions, a diagonal, and the names of the axes.
export function squareAxes(nameX, nameY) {
  const floor = atY(0),
    marks = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const text = `${100 * share}%`;
    marks.push(
      el("line", { class: "grid", x1: atX(0), x2: atX(1), y1: atY(share), y2: atY(share) }),
      el("text", { class: "tick", x: atX(0) - 7, y: atY(share) + 4, "text-anchor": "end", text }),
      el("text", { class: "tick", x: atX(share), y: floor + 17, "text-anchor": "middle", text }),
    );
  }
  marks.push(
    el("line", { class: "diagonal", x1: atX(0), y1: atY(0), x2: atX(1), y2: atY(1) }),
    el("text", { class: "tick name", x: atX(1), y: floor + 36, "text-anchor": "end", text: nameX }),
    el("text", { class: "tick name", x: atX(0) + 6, y: atY(1) + 14, text: nameY }),
  );
  return marks;
}

export function drawSquare(svg, marks) {
  svg.setAttribute("viewBox", `0 0 ${SQUARE.width} ${SQUARE.height}`);
  svg.replaceChildren(...marks);
}
