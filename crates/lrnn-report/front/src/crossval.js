// Cross-validation: methods beside each other, and every fold.

/** @param {[string, number, number][]} methods */
function methodsChart(methods) {
  const shown = methods.slice(0, 24);
  const low = Math.min(...shown.map(([, mean, deviation]) => mean - deviation));
  const high = Math.max(...shown.map(([, mean, deviation]) => mean + deviation));
  const [left, width, step, top] = [190, 640, 30, 8];
  const bottom = top + shown.length * step;
  const [from, to] = [Math.max(0, Math.floor(low * 20) / 20), Math.min(1, Math.ceil(high * 20) / 20)];
  const x = (/** @type {number} */ share) => left + ((share - from) / (to - from || 1)) * (width - left - 90);
  const element = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${bottom + 44}`, role: "img", "aria-label": `Accuracy of ${formatAmount(shown.length, "method")}, as in the table` });
  for (const tick of chartTicks(from, to, 6)) {
    element.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
      svg("text", { class: "tick", x: x(tick), y: bottom + 16, "text-anchor": "middle" }, `${Math.round(tick * 100)} %`));
  }
  element.append(svg("text", { class: "axis-title", x: x((from + to) / 2), y: bottom + 36, "text-anchor": "middle" }, "accuracy, mean and deviation"));
  shown.forEach(([name, mean, deviation], at) => {
    const y = top + (at + 0.5) * step;
    element.append(
      svg("text", { class: at === 0 ? "name first" : "name", x: left - 14, y: y + 4, "text-anchor": "end" }, shortText(visibleText(name), 26), svg("title", {}, visibleText(name))),
      svg("line", { class: "whisker", x1: x(Math.max(from, mean - deviation)), x2: x(Math.min(to, mean + deviation)), y1: y, y2: y }),
      svg("circle", { class: at === 0 ? "point first" : "point", cx: x(mean), cy: y, r: 5 }),
      svg("text", { class: "tick", x: width - 4, y: y + 4, "text-anchor": "end" }, `${(mean * 100).toFixed(1)} ± ${(deviation * 100).toFixed(1)} %`),
    );
  });
  return html("div", { class: "methods" }, figure(element, "Mean of the folds, and one standard deviation to each side. The first line is the template; the others are baselines on the same folds."));
}

/** @param {ReportData} report */
function crossvalSection(report) {
  const crossval = report.crossval;
  if (!crossval) return null;
  const rows = crossval.rows ?? [];
  const seeds = new Set(rows.map((row) => row.seed)).size;
  /** @type {Column<FoldRow>[]} */
  const columns = [
    { title: "Fold", isHead: true, isNumber: true, sort: (row) => row.fold, cell: (row) => row.fold },
    { title: "Examples", isNumber: true, sort: (row) => row.examples, cell: (row) => formatCount(row.examples) },
    { title: "Chosen settings", about: "Chosen inside the training folds", sort: (row) => row.chosen, cell: (row) => dataText(row.chosen, 80) },
    { title: "Inner error", about: "The error inside the training folds by which the settings were chosen", isNumber: true, sort: (row) => row.inner_error, cell: (row) => formatPercent(row.inner_error) },
    { title: "Accuracy", isNumber: true, sort: (row) => row.accuracy, cell: (row) => formatPercent(row.accuracy) },
    { title: "", cell: (row) => shareBar(row.accuracy) },
    { title: "AUC", isNumber: true, sort: (row) => row.auc, cell: (row) => formatFixed(row.auc) },
  ];
  if (seeds > 1) columns.unshift({ title: "Seed", isNumber: true, sort: (row) => row.seed, cell: (row) => row.seed });
  return section("crossval", "Cross-validation",
    html("p", {}, "Each fold is tested once, with a model that did not see it; settings are chosen inside the training folds."),
    (crossval.summary ?? []).length > 0 && html("ul", { class: "plain" }, ...crossval.summary.map((line) => html("li", {}, dataText(line, 400)))),
    (crossval.methods ?? []).length > 0 && methodsChart(crossval.methods),
    rows.length > 0 && sortedTable({ caption: "Every fold", columns, rows, page: 30 }).element);
}
