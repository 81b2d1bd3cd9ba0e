// The head of the page, the data, the template.

/**
 * A section of the page.
 * @param {string} id
 * @param {string} title
 * @param {...Child} children
 */
function section(id, title, ...children) {
  return html("section", { id, "aria-labelledby": `${id}-title` }, html("h2", { id: `${id}-title` }, title), ...children);
}

/**
 * A text of several lines, whose other control characters are made visible.
 * @param {string} text
 */
function visibleSource(text) {
  return text.split("\n").map((line) => line.split("\t").map(visibleText).join("\t")).join("\n");
}

/**
 * The metrics that tell most: of classes, of ranks, or of numbers.
 * @param {Part} part
 */
function mainMetrics(part) {
  const groups = [["class-accuracy"], ["accuracy", "auc"], ["mrr", "hits@10"], ["r2", "mae"]];
  return groups.find((names) => metricOf(part, names[0]) !== null) ?? part.metrics.slice(0, 1).map(([name]) => name);
}

/** @param {ReportData} report */
function headline(report) {
  const part = mainPart(report.parts ?? []);
  /** @type {[string, string, string][]} */
  const items = [];
  if (part) {
    const where = visibleText(part.name).toLowerCase();
    for (const name of mainMetrics(part)) {
      const value = metricOf(part, name);
      if (value !== null) items.push([/accuracy|hits/.test(name) ? formatPercent(value) : formatFixed(value), metricTitle(name), `${where}, ${formatAmount(part.answers, "answer")}`]);
    }
  }
  items.push([formatCount(report.data.examples), report.data.examples === 1 ? "Example" : "Examples", `${formatAmount(report.data.queries, "query", "queries")}, ${formatAmount(report.data.facts, "fact")}`]);
  return html("dl", { class: "headline" }, ...items.map(([value, name, about]) => html("div", {}, html("dt", {}, name), html("dd", {}, value, html("small", {}, about)))));
}

/** @param {ReportData} report */
function pageHeader(report) {
  return html("header", { class: "title" },
    html("p", { class: "kind" }, report.kind === "crossval" ? "Report of a cross-validation" : "Report of learning"),
    html("h1", {}, dataText(report.title, 120)),
    headline(report),
    report.model && html("p", {}, dataText(report.model, 600)),
    (report.notes ?? []).length > 0 && html("ul", { class: "notes", "aria-label": "Notes" }, ...report.notes.map((note) => html("li", {}, dataText(note, 600)))));
}

/** @param {ReportData} report */
function dataSection(report) {
  const { data } = report;
  return section("data", "Data",
    html("p", {}, `${formatAmount(data.examples, "example")} with ${formatAmount(data.facts, "fact")} about ${formatAmount(data.constants, "constant")}, and ${formatAmount(data.queries, "query", "queries")} with a target to learn or to test.`),
    html("div", { class: "figures" },
      data.predicates.length > 0 && html("div", {}, barTable("Facts by predicate", ["Predicate", "Facts"], data.predicates)),
      data.targets.length > 0 && html("div", {}, barTable("Queries by target", ["Target", "Queries"], data.targets))));
}

/** @param {ReportData} report */
function templateSection(report) {
  const templates = report.templates ?? [];
  if (templates.length === 0) return null;
  return section("template", "Template",
    html("p", {}, "The weighted rules. With each example they unfold into a neural network of its own; all networks share the weights."),
    ...templates.map((template, at) => {
      const code = html("code", {}, ...template.tokens.map(([kind, text]) => (kind === "space" ? visibleSource(text) : html("span", { class: `token ${kind}` }, visibleSource(text)))));
      const picture = (template.network?.nodes.length ?? 0) > 0 && networkView(report, template.network, { title: `The template ${visibleText(template.name)} as a network`, keepsLayers: true, most: 40 });
      const body = [html("pre", { class: "source", tabindex: 0, "aria-label": `Template ${visibleText(template.name)}` }, code), picture];
      if (templates.length === 1) return html("div", {}, ...body);
      return html("details", { "data-print": true, open: at === 0 }, html("summary", {}, html("h3", {}, dataText(template.name))), ...body);
    }));
}

/** @param {ReportData} report */
function pageFooter(report) {
  return html("footer", {}, html("p", {}, "Made by ", dataText(report.program, 40), " with ", dataCode(report.command, 400), ". The page holds everything it shows and loads nothing."));
}
