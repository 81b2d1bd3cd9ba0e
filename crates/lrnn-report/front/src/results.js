// How well the model answers: metrics, confusion, ROC, calibration.

/**
 * @param {Part} part
 * @param {string} name
 */
function metricOf(part, name) {
  return part.metrics.find(([other]) => other === name)?.[1] ?? null;
}

/**
 * The part that says most: the test, or what comes last.
 * @param {Part[]} parts
 */
function mainPart(parts) {
  return parts.find((part) => /test|out of fold/i.test(part.name)) ?? parts.at(-1) ?? null;
}

/** @param {string} name */
function isLessBetter(name) {
  return /loss|error|brier|mse|mae/.test(name);
}

/** @param {Part[]} parts */
function metricsTable(parts) {
  const names = [...new Set(parts.flatMap((part) => part.metrics.filter(([, value]) => value !== null).map(([name]) => name)))];
  const share = (/** @type {string} */ name) => /accuracy|hits@|^error$/.test(name);
  return html("div", { class: "wide" }, html("table", { class: "metrics" },
    html("caption", { class: "unseen" }, "Metrics by part"),
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Metric"), ...parts.map((part) => html("th", { scope: "col", class: "number" }, dataText(part.name))))),
    html("tbody", {},
      html("tr", {}, html("th", { scope: "row" }, "Answers"), ...parts.map((part) => html("td", { class: "number" }, formatCount(part.answers)))),
      ...names.map((name) => html("tr", {}, html("th", { scope: "row" }, metricTitle(name), html("small", {}, isLessBetter(name) ? " ↓" : " ↑")),
        ...parts.map((part) => html("td", { class: "number" }, share(name) ? formatPercent(metricOf(part, name)) : formatFixed(metricOf(part, name), 4)))))),
  ));
}

/** @param {Part} part */
function confusionTable(part) {
  if (!part.confusion || part.confusion.labels.length === 0) return null;
  const { labels, counts } = part.confusion;
  const shown = labels.slice(0, 24);
  const rows = shown.map((label, row) => {
    const all = (counts[row] ?? []).reduce((sum, count) => sum + count, 0);
    return html("tr", {}, html("th", { scope: "row" }, dataText(label, 24)), ...shown.map((_, column) => {
      const count = counts[row]?.[column] ?? 0;
      const cell = html("td", { class: row === column ? "number right" : "number" }, formatCount(count),
        html("small", {}, all > 0 ? `${Math.round((count / all) * 100)} %` : "–"));
      cell.style.setProperty("--share", String(all > 0 ? count / all : 0));
      return cell;
    }));
  });
  const table = html("table", { class: "confusion" },
    html("caption", { class: "unseen" }, `Confusion of ${part.name}: rows are targets, columns answers`),
    html("thead", {},
      html("tr", {}, html("td", {}), html("th", { scope: "colgroup", colspan: shown.length }, "answer")),
      html("tr", {}, html("th", { scope: "col" }, "target"), ...shown.map((label) => html("th", { scope: "col" }, dataText(label, 24))))),
    html("tbody", {}, ...rows));
  return figure(html("div", { class: "wide" }, table), html("b", {}, "Confusion"), ". Each row is a target and what was answered, with the share of the row; framed answers are right.",
    labels.length > shown.length ? ` The first ${shown.length} of ${labels.length} classes.` : "");
}

/** @param {ReportData} report */
function resultsSection(report) {
  const parts = report.parts ?? [];
  if (parts.length === 0) return null;
  const main = mainPart(parts);
  const ordered = [...parts].sort((left, right) => Number(right === main) - Number(left === main));
  const pictures = ordered.map((part) => {
    const figures = [confusionTable(part), rocChart(part, metricOf(part, "auc")), calibrationChart(part)].filter((item) => item !== null);
    if (figures.length === 0) return null;
    const row = html("div", { class: "figures" }, ...figures);
    const title = `${metricTitle(part.name)}, ${formatAmount(part.answers, "answer")}`;
    return part === main
      ? html("div", {}, html("h3", {}, dataText(title)), row)
      : html("details", { "data-print": true }, html("summary", {}, html("h3", {}, dataText(title))), row);
  });
  return section("results", "Results",
    html("p", {}, main?.name === "training"
      ? "These are the examples that the model learned from: none were held out, so nothing is known of others."
      : "What counts are the examples that the model did not learn from."),
    ...pictures,
    html("h3", {}, "Metrics"),
    html("p", {}, "Arrows say which way is better."),
    metricsTable(parts),
    alikeView(report));
}

/** @param {ReportData} report */
function alikeView(report) {
  const alike = report.alike;
  if (!alike || alike.groups.length === 0) return null;
  const table = sortedTable({
    caption: "Groups of examples with one answer and different targets",
    page: 10,
    rows: alike.groups,
    columns: [
      { title: "Examples", isHead: true, cell: (group) => exampleLinks(report, group.examples, 16) },
      { title: "How many", isNumber: true, sort: (group) => group.examples.length, cell: (group) => formatCount(group.examples.length) },
      { title: "Targets", cell: (group) => dataText([...new Set(group.targets)].join(", "), 60) },
    ],
  });
  return html("div", {}, html("h3", {}, "What the template cannot tell apart"),
    html("p", {}, `${formatAmount(alike.groups.length, "group")} of examples get one answer whatever the weights, though their targets differ. At least ${formatAmount(alike.least_wrong, "answer")} must be wrong: no weights can exceed an accuracy of ${formatPercent(alike.most_accuracy)}.`),
    table.element);
}

/**
 * Links to examples.
 * @param {ReportData} report
 * @param {number[]} numbers
 * @param {number} most
 */
function exampleLinks(report, numbers, most) {
  const links = html("span", { class: "links" });
  for (const number of numbers.slice(0, most)) {
    const example = report.examples[number];
    if (example) links.append(html("a", { href: exampleHash(report, number, 0) }, dataText(example.name, 24)), " ");
  }
  if (numbers.length > most) links.append(`and ${formatCount(numbers.length - most)} more`);
  return links;
}
