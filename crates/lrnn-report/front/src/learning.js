// How it was learned: curves of all restarts, settings.

/**
 * @param {ReportData} report
 * @param {"loss" | "error"} what
 */
function curvesChart(report, what) {
  /** @type {Line[]} */
  const lines = [];
  const ordered = [...report.curves].sort((left, right) => Number(left.kept) - Number(right.kept));
  for (const curve of ordered) {
    for (const [part, values] of /** @type {[string, (number | null)[]][]} */ ([["training", curve[`training_${what}`]], ["validation", curve[`validation_${what}`]]])) {
      if (!values.some((value) => value !== null)) continue;
      lines.push({
        name: `${curve.name}, ${part}`,
        points: curve.epochs.map((epoch, at) => [epoch, values[at] ?? null]),
        style: `${curve.kept ? "kept" : "other"} ${part}`,
      });
    }
  }
  if (lines.length === 0) return null;
  const kept = report.curves.find((curve) => curve.kept);
  const told = kept ? curveInWords(kept, what) : "";
  const picture = lineChart(lines, what, `${what} by epoch of ${formatAmount(report.curves.length, "restart")}. ${told}`);
  return figure(picture.element, html("b", {}, what === "loss" ? "Loss" : "Error"), `. ${told}${picture.note}`);
}

/**
 * @param {Curve} curve
 * @param {"loss" | "error"} what
 */
function curveInWords(curve, what) {
  const training = curve[`training_${what}`].filter((value) => value !== null);
  const validation = curve[`validation_${what}`];
  let told = training.length > 0 ? `Training from ${formatNumber(training[0], 3)} to ${formatNumber(training.at(-1), 3)}` : "";
  let least = -1;
  validation.forEach((value, at) => {
    if (value !== null && (least < 0 || value < Number(validation[least]))) least = at;
  });
  if (least >= 0) told += `${told ? "; " : ""}lowest on validation ${formatNumber(validation[least], 3)}, in epoch ${curve.epochs[least]}`;
  return told ? `${told}.` : "";
}

/**
 * @param {boolean} validates
 * @param {boolean} restarts
 */
function curvesLegend(validates, restarts) {
  const item = (/** @type {string} */ style, /** @type {string} */ text) =>
    html("span", { class: "key" }, svg("svg", { class: "chart", viewBox: "0 0 28 10", width: 28, height: 10, "aria-hidden": "true" }, svg("path", { class: `line ${style}`, d: "M1 5L27 5" })), text);
  return html("p", { class: "legend" }, item("kept training", "training"), validates && item("kept validation", "validation"), restarts && item("other training", "restarts that were not kept"));
}

/** @param {ReportData} report */
function learningSection(report) {
  const curves = report.curves ?? [];
  const settings = report.settings ?? [];
  if (curves.length === 0 && settings.length === 0) return null;
  const kept = curves.find((curve) => curve.kept);
  const validates = curves.some((curve) => curve.validation_loss.some((value) => value !== null) || curve.validation_error.some((value) => value !== null));
  return section("learning", "Learning",
    curves.length > 0 && html("p", {}, curves.length > 1 ? `${formatCount(curves.length)} restarts, each from other random weights. ` : "", kept && "The model comes from ", kept && dataText(kept.name), kept && "."),
    curves.length > 0 && html("div", { class: "figures" }, curvesChart(report, "loss"), curvesChart(report, "error")),
    curves.length > 0 && curvesLegend(validates, curves.some((curve) => !curve.kept)),
    settings.length > 0 && html("details", { "data-print": true }, html("summary", {}, html("h3", {}, "Settings")),
      html("dl", { class: "settings" }, ...settings.map(([name, value]) => html("div", {}, html("dt", {}, dataText(name, 40)), html("dd", {}, dataText(value, 80)))))));
}
