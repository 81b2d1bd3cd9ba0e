// Charts: axes, lines, points. Each has a text that says what it shows.

/** @typedef {{ name: string, points: [number, number | null][], style: string }} Line */

/**
 * @typedef {object} ChartOptions
 * @property {string} label What the chart shows, in words.
 * @property {string} x The title of the axis.
 * @property {string} y
 * @property {[number, number]} xRange
 * @property {[number, number]} yRange
 * @property {number} [width]
 * @property {number} [height]
 */

/**
 * Round numbers between two others.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
function chartTicks(low, high, most) {
  const way = high - low;
  if (!(way > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(way / most));
  const step = [1, 2, 5, 10].map((times) => times * power).find((width) => way / width <= most) ?? way;
  const ticks = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/**
 * The axes of a chart, and where points are in it.
 * @param {ChartOptions} options
 */
function chart(options) {
  const { width = 420, height = 260, xRange, yRange } = options;
  const [left, right, top, bottom] = [52, 12, 10, 44];
  const at = (/** @type {[number, number]} */ [low, high], /** @type {number} */ value) => (high > low ? (value - low) / (high - low) : 0.5);
  const x = (/** @type {number} */ value) => left + at(xRange, value) * (width - left - right);
  const y = (/** @type {number} */ value) => height - bottom - at(yRange, value) * (height - top - bottom);
  const element = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label });
  for (const value of chartTicks(...yRange, 5)) {
    element.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      svg("text", { class: "tick", x: left - 8, y: y(value) + 4, "text-anchor": "end" }, formatTick(value)),
    );
  }
  for (const value of chartTicks(...xRange, 6)) {
    element.append(svg("text", { class: "tick", x: x(value), y: height - bottom + 18, "text-anchor": "middle" }, formatTick(value)));
  }
  element.append(
    svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg("text", { class: "axis-title", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, options.x),
    svg("text", { class: "axis-title", transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, options.y),
  );
  return { element, x, y };
}

/** @param {number} value */
function formatTick(value) {
  return Number.isInteger(value) ? formatCount(value) : String(value).replace("-", "−");
}

/**
 * A path through points, with gaps where there is no number.
 * @param {[number, number | null][]} points
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function chartPath(points, x, y) {
  let path = "";
  let pen = "M";
  for (const [across, up] of points) {
    if (up === null || !Number.isFinite(up)) {
      pen = "M";
      continue;
    }
    path += `${pen}${x(across).toFixed(1)} ${y(up).toFixed(1)}`;
    pen = "L";
  }
  return path;
}

/**
 * Fewer points of a long line, the first and last among them.
 * @template T
 * @param {T[]} points
 * @param {number} most
 */
function thinned(points, most) {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, at) => points[Math.round(at * step)]);
}

/**
 * Lines over epochs.
 * @param {Line[]} lines
 * @param {string} title The title of the vertical axis.
 * @param {string} label
 */
function lineChart(lines, title, label) {
  const points = lines.flatMap((line) => line.points).filter(([, up]) => up !== null && Number.isFinite(up));
  const ups = points.map(([, up]) => Number(up)).sort((left, right) => left - right);
  const acrosses = points.map(([across]) => across);
  // A few wild epochs must not flatten all others.
  const usual = ups[Math.floor(ups.length * 0.97)] ?? 1;
  const peak = ups.at(-1) ?? 1;
  const isCut = peak > 1.8 * usual;
  const high = isCut ? usual * 1.25 : peak;
  const frame = chart({
    label, x: "epoch", y: title,
    xRange: [acrosses.reduce((a, b) => Math.min(a, b), Infinity), acrosses.reduce((a, b) => Math.max(a, b), -Infinity)],
    yRange: [Math.min(0, ups[0] ?? 0), high > 0 ? high * 1.04 : 1],
  });
  for (const line of lines) {
    const clipped = thinned(line.points, 600).map(([across, up]) => /** @type {[number, number | null]} */ ([across, up === null ? null : Math.min(up, high * 1.04)]));
    frame.element.append(svg("path", { class: `line ${line.style}`, d: chartPath(clipped, frame.x, frame.y) }, svg("title", {}, visibleText(line.name))));
  }
  return { element: frame.element, note: isCut ? ` Peaks up to ${formatNumber(peak, 2)} are cut off.` : "" };
}

/**
 * @param {Part} part
 * @param {number | null} auc
 */
function rocChart(part, auc) {
  if (!part.roc || part.roc.true_positive.length < 2) return null;
  const { false_positive: across, true_positive: up } = part.roc;
  const frame = chart({
    label: `ROC curve of ${part.name}${auc === null ? "" : `, area below it ${formatFixed(auc)}`}`,
    x: "false positives, share", y: "true positives, share", xRange: [0, 1], yRange: [0, 1], width: 300, height: 290,
  });
  const points = across.map((value, at) => /** @type {[number, number]} */ ([value, up[at]]));
  const path = chartPath(thinned(points, 2000), frame.x, frame.y);
  frame.element.append(
    svg("path", { class: "diagonal", d: chartPath([[0, 0], [1, 1]], frame.x, frame.y) }),
    svg("path", { class: "area", d: `${path}L${frame.x(1)} ${frame.y(0)}L${frame.x(0)} ${frame.y(0)}Z` }),
    svg("path", { class: "line kept", d: path }),
  );
  return figure(frame.element, html("b", {}, "ROC"), auc === null ? "" : `, area ${formatFixed(auc)}`,
    ". How many true ones are found against how many false ones are taken for true; the dotted line is guessing.");
}

/** @param {Part} part */
function calibrationChart(part) {
  const bins = (part.calibration ?? []).filter((bin) => bin.count > 0);
  if (bins.length === 0) return null;
  const all = bins.reduce((sum, bin) => sum + bin.count, 0);
  const gap = bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.mean - bin.share), 0) / all;
  const frame = chart({
    label: `Calibration of ${part.name}: ` + bins.map((bin) => `mean value ${formatFixed(bin.mean, 2)}, share true ${formatFixed(bin.share, 2)}, ${bin.count} answers`).join("; "),
    x: "mean value", y: "share that is true", xRange: [0, 1], yRange: [0, 1], width: 300, height: 290,
  });
  frame.element.append(svg("path", { class: "diagonal", d: chartPath([[0, 0], [1, 1]], frame.x, frame.y) }));
  for (const bin of bins) {
    const [x, y] = [frame.x(bin.mean), frame.y(bin.share)];
    frame.element.append(
      svg("line", { class: "gap", x1: x, x2: x, y1: frame.y(bin.mean), y2: y }),
      svg("circle", { class: "point", cx: x, cy: y, r: 3 + 11 * Math.sqrt(bin.count / all) },
        svg("title", {}, `Values ${formatFixed(bin.low, 2)} to ${formatFixed(bin.high, 2)}: ${formatAmount(bin.count, "answer")}, mean value ${formatFixed(bin.mean)}, share true ${formatFixed(bin.share)}`)),
    );
  }
  return figure(frame.element, html("b", {}, "Calibration"), `, mean gap ${formatFixed(gap)}`,
    ". On the dotted line values are probabilities; larger points stand for more answers.");
}
