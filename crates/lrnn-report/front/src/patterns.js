// Patterns: what the rules answer to most.

/** @param {ReportData} report */
function patternsSection(report) {
  const patterns = report.patterns ?? [];
  if (patterns.length === 0) return null;
  const classes = [...new Set(patterns.flatMap((pattern) => pattern.classes.map(([name]) => name)))].slice(0, 4);
  const pictures = patterns.some((pattern) => pattern.picture);
  const rules = [...new Set(patterns.map((pattern) => pattern.rule))];
  /** @type {Column<Pattern>[]} */
  const columns = [
    { title: "Pattern", isHead: true, sort: (pattern) => pattern.text, cell: (pattern) => html("div", { class: "pattern" },
      pattern.picture && graphPicture(pattern.picture, { label: `Picture of ${visibleText(pattern.text)}`, size: 40, widest: 150 }).element, dataCode(pattern.text, 60)) },
    { title: "Output", about: "The most that a ground rule with the pattern gives to its head", isNumber: true, sort: (pattern) => pattern.output, cell: (pattern) => formatFixed(pattern.output) },
    { title: "Times", about: "How often it is found in all examples", isNumber: true, sort: (pattern) => pattern.times, cell: (pattern) => formatCount(pattern.times) },
    { title: "Examples", about: "In how many examples it is found", isNumber: true, sort: (pattern) => pattern.support, cell: (pattern) => formatCount(pattern.support) },
    ...classes.map((name) => /** @type {Column<Pattern>} */ ({
      title: `Lift of ${shortText(visibleText(name), 24)}`, isNumber: true,
      about: "How many times as frequent the class is among these examples as among all",
      sort: (pattern) => pattern.classes.find(([other]) => other === name)?.[2] ?? null,
      cell: (pattern) => liftCell(pattern.classes.find(([other]) => other === name)),
    })),
    { title: "More", cell: (pattern) => unfolding("facts", () => [patternFacts(report, pattern)]) },
  ];
  const table = sortedTable({ caption: `${formatAmount(patterns.length, "pattern")} with support and lift`, columns, rows: patterns, page: pictures ? 12 : 25, by: 1, isDown: true });
  const byRule = filterChoice("Rule", rules, () => table.setRows(patterns.filter((pattern) => (byRule.value() ?? pattern.rule) === pattern.rule)));
  return section("patterns", "Patterns",
    html("p", {}, `The facts behind the ground rules, with names of individuals left out: what the ${rules.length === 1 ? "rule answers" : "rules answer"} to most. A lift above 1 says that a class is more frequent where the pattern is; a high output of a rule is not yet the answer.`),
    rules.length > 1 && html("p", { class: "controls" }, byRule.element),
    html("div", { class: "patterns" }, table.element));
}

/**
 * A lift, with a bar to the right of the middle where it is above 1, to the left where it is below.
 * @param {[string, number, number] | undefined} found
 */
function liftCell(found) {
  if (!found) return "–";
  const [, count, lift] = found;
  const way = Math.max(-1, Math.min(1, Math.log2(Math.max(lift, 1e-9)) / 2)) * 50;
  const bar = html("span", { class: way < 0 ? "step less" : "step more" });
  bar.style.left = `${50 + Math.min(0, way)}%`;
  bar.style.width = `${Math.abs(way)}%`;
  return html("span", { class: "lift", title: formatAmount(count, "example") }, html("span", { class: "lift-track", "aria-hidden": "true" }, bar), formatFixed(lift, 2));
}

/**
 * @param {ReportData} report
 * @param {Pattern} pattern
 */
function patternFacts(report, pattern) {
  return html("div", { class: "facts" },
    html("p", {}, dataCode(pattern.facts, 1000)),
    html("p", {}, "Rule ", dataCode(pattern.rule, 300), ", head ", dataCode(pattern.head, 120)),
    html("p", {}, ...pattern.classes.map(([name, count]) => html("span", { class: "links" }, dataText(name, 40), `: ${formatAmount(count, "example")} `))),
    pattern.examples.length > 0 && html("p", {}, "Found in ", exampleLinks(report, pattern.examples, 12)));
}
