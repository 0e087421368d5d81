// The size of the tree: the error of every pruned tree as curves, and a slider that
// prunes the tree to each of them.

import { count, figures, general, percent, thousands } from "./numbers.js";
import { el } from "./dom.js";
import { niceTicks } from "./chart.js";
import { real } from "./arrays.js";

const PAPER_WIDTH = 480; // CSS pixels on a printed page

export function startSize(page, picture, moves) {
  const { model, choice, byId } = page;
  const { data, path, story, asShown, errorWords } = model;
  const chart = byId("curve"),
    slider = byId("step");
  const steps = path.leaves.length;

  // Curves as lists of [leaves, error]: those of the path, and those that fitting measured.
  function curvesOf() {
    const own = (values) => path.leaves.map((n, i) => [n, asShown(real(values[i] ?? null))]);
    const found = [{ name: "Training", class: "train", points: own(path.train) }];
    const tried = data.curve;
    if (tried?.cv_error) {
      const cv = tried.leaves.map((n, i) => [n, asShown(real(tried.cv_error[i]))]);
      const bars = tried.leaves.map((n, i) => [
        n,
        asShown(real(tried.cv_error[i]) - real(tried.cv_std[i])),
        asShown(real(tried.cv_error[i]) + real(tried.cv_std[i])),
      ]);
      const best = tried.best;
      // A limit of errors decides only where errors, not a score, chose the size.
      const limit =
        best >= 0 && !tried.score
          ? asShown(real(tried.cv_error[best]) + real(tried.cv_std[best]))
          : null;
      found.push({ name: "Cross-validated", class: "cv", points: cv, bars, limit });
    }
    if (tried?.validation_error) {
      found.push({
        name: "Validation",
        class: "cv",
        points: tried.leaves.map((n, i) => [n, asShown(real(tried.validation_error[i]))]),
      });
    }
    if (path.test.length) found.push({ name: "Test", class: "test", points: own(path.test) });
    for (const each of found) each.points = each.points.filter(([, y]) => Number.isFinite(y));
    return found;
  }
  const curves = curvesOf();
  const errorAt = (curve, n) => curve.points.find(([leaves]) => leaves === n)?.[1];

  const most = Math.max(...curves.flatMap((c) => c.points.map(([n]) => n)), path.leaves[0]);
  const PLOT = { left: 52, right: 18, top: 14, bottom: 42 };
  // Few sizes have a linear scale, many a logarithmic one.
  const sizes = [
    ...new Set([...path.leaves, ...curves.flatMap((c) => c.points.map(([n]) => n))]),
  ].sort((a, b) => a - b);
  const evenly = sizes.length <= 24;
  const sizePlace = new Map(
    sizes.map((n, i) => [n, sizes.length > 1 ? i / (sizes.length - 1) : 0.5]),
  );
  const along = (n) => (evenly ? sizePlace.get(n) : Math.log(n) / Math.log(most));

  let box = { width: 600, height: 220 };
  const xOf = (n) => PLOT.left + along(n) * (box.width - PLOT.left - PLOT.right);
  let yOf = () => 0;

  function drawChart(width = chart.clientWidth) {
    box = { width: Math.max(width, 260), height: 230 };
    const all = curves
      .flatMap((c) => [...c.points.map(([, y]) => y), ...(c.bars || []).map(([, , y]) => y)])
      .filter(Number.isFinite);
    const top = Math.max(...all, 1e-12) * 1.06;
    const least = Math.min(...all);
    const bottom = story.unit === "share" || least < 0.35 * top ? 0 : least * 0.85;
    yOf = (y) =>
      PLOT.top + (1 - (y - bottom) / (top - bottom || 1)) * (box.height - PLOT.top - PLOT.bottom);
    const marks = [...axes(bottom, top), ...shade(), ...curves.flatMap(curveMarks)];
    const marker = el(
      "g",
      { id: "marker" },
      el("line", { class: "marker", y1: PLOT.top - 6, y2: box.height - PLOT.bottom }),
      el("circle", { class: "thumb", cy: box.height - PLOT.bottom, r: 8 }),
    );
    chart.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    chart.setAttribute("height", box.height);
    chart.replaceChildren(...marks, marker);
    moveMarker();
  }

  function axes(bottom, top) {
    const marks = [];
    const floor = box.height - PLOT.bottom,
      right = box.width - PLOT.right;
    for (const y of niceTicks(bottom, top)) {
      marks.push(el("line", { class: "grid", x1: PLOT.left, x2: right, y1: yOf(y), y2: yOf(y) }));
      const tick = story.unit === "share" ? `${general(100 * y, 3)}%` : figures(y);
      marks.push(
        el("text", {
          class: "tick",
          x: PLOT.left - 8,
          y: yOf(y) + 4,
          "text-anchor": "end",
          text: tick,
        }),
      );
    }
    let lastX = -Infinity;
    const wanted = evenly
      ? sizes
      : [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5].filter(
          (n) => n <= most,
        );
    for (const n of wanted) {
      const x = xOf(n);
      if (x - lastX < 26) continue;
      lastX = x;
      marks.push(
        el("text", {
          class: "tick",
          x,
          y: floor + 22,
          "text-anchor": "middle",
          text: thousands(n),
        }),
      );
    }
    marks.push(el("line", { class: "axis", x1: PLOT.left, x2: right, y1: floor, y2: floor }));
    marks.push(
      el("text", {
        class: "tick name",
        x: right,
        y: box.height - 4,
        "text-anchor": "end",
        text: "leaves",
      }),
    );
    return marks;
  }

  // Larger trees that fitting tried and rejected cannot be shown; their part is shaded.
  function shade() {
    if (most <= path.leaves[0]) return [];
    const x = (xOf(path.leaves[0]) + xOf(sizes[sizes.indexOf(path.leaves[0]) + 1])) / 2;
    const width = box.width - PLOT.right - x;
    const words = width > 120 ? "tried, and pruned away" : "";
    return [
      el("rect", {
        class: "beyond",
        x,
        width,
        y: PLOT.top - 6,
        height: box.height - PLOT.bottom - PLOT.top + 6,
      }),
      el("text", {
        class: "tick",
        x: box.width - PLOT.right - 6,
        y: PLOT.top + 8,
        "text-anchor": "end",
        text: words,
      }),
    ];
  }

  function curveMarks(curve) {
    const marks = [];
    if (curve.limit != null && Number.isFinite(curve.limit)) {
      marks.push(
        el("line", {
          class: "limit",
          x1: PLOT.left,
          x2: box.width - PLOT.right,
          y1: yOf(curve.limit),
          y2: yOf(curve.limit),
        }),
      );
    }
    if (curve.bars && curve.bars.length <= 60) {
      for (const [n, low, high] of curve.bars) {
        if (Number.isFinite(low + high))
          marks.push(
            el("line", { class: "spread", x1: xOf(n), x2: xOf(n), y1: yOf(low), y2: yOf(high) }),
          );
      }
    }
    const points = curve.points
      .map(([n, y]) => `${xOf(n).toFixed(1)},${yOf(y).toFixed(1)}`)
      .join(" ");
    marks.push(el("polyline", { class: `curve ${curve.class}`, points }));
    if (curve.points.length <= 60) {
      for (const [n, y] of curve.points)
        marks.push(el("circle", { class: `point ${curve.class}`, cx: xOf(n), cy: yOf(y), r: 2.6 }));
    }
    return marks;
  }

  function moveMarker() {
    const n = path.leaves[model.stepNow()],
      marker = byId("marker");
    if (!marker) return;
    const [line, thumb] = marker.children;
    line.setAttribute("x1", xOf(n));
    line.setAttribute("x2", xOf(n));
    thumb.setAttribute("cx", xOf(n));
  }

  // -- choosing a size --------------------------------------------------------------

  function setStep(to) {
    const before = model.stepNow();
    model.chooseStep(to);
    if (model.stepNow() === before) return;
    moves.openLegibly(picture.direction());
    choice.highlighted = new Set(model.nodesTo(choice.selected));
    sayStep();
    moveMarker();
    page.tell("selected", choice.selected);
    page.tell("sized");
  }

  // What the choice of the size was based on, for the trees that fitting tried.
  function choiceLines(n) {
    const tried = data.curve,
      i = tried ? tried.leaves.indexOf(n) : -1;
    if (i < 0) return [];
    const line = (name, text) =>
      el("li", {}, el("i", {}), el("span", { text: name }), el("b", { text }));
    const found = [];
    if (tried.score) {
      found.push(line(`Score: ${tried.score_name}`, figures(real(tried.score[i]))));
    }
    if (tried.strength) {
      const rows = real(tried.strength[i]);
      found.push(line("Answers drawn as by", `${figures(rows)} row${rows === 1 ? "" : "s"}`));
    }
    const more = tried.against?.[i] ?? null;
    if (more !== null && i !== tried.chosen) {
      const sign = more < 0 ? "-" : "+";
      found.push(line("Error against the chosen size", `${sign}${percent(Math.abs(more))}`));
    }
    if (i === tried.one_se && i !== tried.chosen) {
      found.push(line("The 1-SE rule", "takes this size"));
    }
    return found;
  }

  function sayStep() {
    const n = path.leaves[model.stepNow()];
    slider.value = steps - 1 - model.stepNow();
    const alpha = path.alpha[model.stepNow()];
    const price = alpha === null ? "" : `, α = ${general(real(alpha), 3)}`;
    slider.setAttribute("aria-valuetext", `${count(n, "leaf", "leaves")}${price}`);
    byId("size-now").textContent = count(n, "leaf", "leaves");
    byId("size-alpha").textContent = model.stepNow() === 0 ? "the whole tree" : `pruned${price}`;
    const lines = curves.map((curve) => {
      const y = errorAt(curve, n);
      return y === undefined
        ? null
        : el(
            "li",
            {},
            el("i", { class: `key ${curve.class}` }),
            el("span", { text: curve.name }),
            el("b", { text: errorWords(y) }),
          );
    });
    byId("size-errors").replaceChildren(...lines.filter(Boolean), ...choiceLines(n));
    byId("size-back").hidden = model.stepNow() === 0;
    byId("cut-note").hidden = model.stepNow() === 0;
    byId("cut-note").textContent = `cut to ${count(n, "leaf", "leaves")}, on the whole page`;
  }

  function nearestStep(event) {
    const at = event.clientX - chart.getBoundingClientRect().left;
    let best = 0,
      least = Infinity;
    path.leaves.forEach((n, i) => {
      const far = Math.abs(xOf(n) - at);
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }

  function start() {
    if (steps < 2) {
      byId("size").hidden = true;
      return;
    }
    byId("size-axis").textContent = `${story.axis[0].toUpperCase()}${story.axis.slice(1)}`;
    slider.max = steps - 1;
    slider.addEventListener("input", () => setStep(steps - 1 - Number(slider.value)));
    slider.addEventListener("focus", () => chart.classList.add("focus"));
    slider.addEventListener("blur", () => chart.classList.remove("focus"));
    let held = false;
    chart.addEventListener("pointerdown", (event) => {
      held = true;
      chart.setPointerCapture(event.pointerId);
      setStep(nearestStep(event));
      slider.focus({ preventScroll: true });
      event.preventDefault();
    });
    chart.addEventListener("pointermove", (event) => held && setStep(nearestStep(event)));
    chart.addEventListener("pointerup", () => {
      held = false;
    });
    byId("size-back").addEventListener("click", () => {
      setStep(0);
      slider.focus();
    });
    sayStep();
    drawChart();
    new ResizeObserver(() => drawChart()).observe(chart.parentNode);
    page.listen("printing", () => drawChart(PAPER_WIDTH));
    page.listen("printed", () => drawChart());
  }

  start();
  return setStep;
}
