// The rules as a CSV file.

// A text that a spreadsheet would run as a formula starts with an apostrophe (OWASP).
export const safeText = (text) => (/^[=+\-@\t\r\0]/.test(text) ? `'${text}` : text);

const cell = (x) => {
  if (typeof x === "number") return Number.isFinite(x) ? String(x) : "";
  const text = safeText(x);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Lines of cells as CSV: numbers as they are, text made safe for spreadsheets.
export const toCsv = (lines) => lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");

// All rules of the chosen size, the largest first.
export function rulesAsCsv(model) {
  const { isClass, test, testRows, testError } = model;
  const head = [
    "node",
    "rule",
    "answer",
    isClass ? "probability" : null,
    isClass ? "confidence" : null,
    "low",
    "high",
    "rows",
    "share",
  ];
  const tested = test ? ["test_rows", "test_error"] : [];
  const lines = [[...head.filter(Boolean), ...tested]];
  const nodes = model
    .answerNodes()
    .sort((a, b) => model.endedIn(b)[0] - model.endedIn(a)[0] || a - b);
  for (const node of nodes) {
    const [low, high] = model.intervalOf(node);
    const [n, w] = model.endedIn(node);
    const line = [node, model.ruleParts(node).join(" AND ") || "any row"];
    line.push(isClass ? model.classes[model.label[node]] : model.numberOf(node));
    if (isClass) line.push(model.probability(node), model.confidence(node));
    line.push(low, high, n, model.weight[0] > 0 ? w / model.weight[0] : 0);
    if (test) line.push(testRows[node], testError[node]);
    lines.push(line);
  }
  return toCsv(lines);
}
