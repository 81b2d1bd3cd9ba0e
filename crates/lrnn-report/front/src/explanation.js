// Why a value is what it is: contributions that add up, rules, what would change it, the tree, the network.

/**
 * Bars that lead from the baseline to the value.
 * @param {string} caption
 * @param {string} what What the rows are.
 * @param {Explanation} explanation
 * @param {[string, number][]} items
 * @param {string} restName
 * @param {(name: string, isOn: boolean) => void} onPoint
 */
function waterfall(caption, what, explanation, items, restName, onPoint) {
  const shown = items.slice();
  const rest = explanation.value - explanation.baseline - explanation.residual - shown.reduce((sum, [, amount]) => sum + amount, 0);
  /** @type {{ name: Child, from: number, to: number, style: string, text: string, key?: string }[]} */
  const rows = [{ name: "Baseline: all facts say nothing", from: explanation.baseline, to: explanation.baseline, style: "total", text: formatFixed(explanation.baseline, 4) }];
  let at = explanation.baseline;
  const step = (/** @type {Child} */ name, /** @type {number} */ amount, /** @type {string} */ key) => {
    rows.push({ name, from: at, to: at + amount, style: amount < 0 ? "less" : "more", text: formatSigned(amount), key });
    at += amount;
  };
  for (const [name, amount] of shown) step(dataCode(name, 60), amount, name);
  if (Math.abs(rest) > 1e-9) step(html("i", {}, restName), rest, "");
  if (Math.abs(explanation.residual) > 5e-7) step(html("i", {}, "left by rounding or a jump"), explanation.residual, "");
  rows.push({ name: "Value", from: explanation.value, to: explanation.value, style: "total", text: formatFixed(explanation.value, 4) });
  const ends = rows.flatMap((row) => [row.from, row.to]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const way = high - low || 1;
  return html("table", { class: "waterfall" },
    html("caption", {}, caption),
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, what), html("th", { scope: "col", class: "number" }, "Brings"), html("th", { scope: "col" }, "From baseline to value"))),
    html("tbody", {}, ...rows.map((row) => {
      const bar = html("span", { class: `step ${row.style}` });
      bar.style.left = `${((Math.min(row.from, row.to) - low) / way) * 100}%`;
      bar.style.width = `${(Math.abs(row.to - row.from) / way) * 100}%`;
      const line = html("tr", { class: row.style === "total" ? "total" : null }, html("th", { scope: "row" }, row.name), html("td", { class: "number" }, row.text),
        html("td", { class: "track", "aria-hidden": "true" }, html("span", { class: "track" }, bar)));
      const key = row.key;
      if (key) {
        line.addEventListener("mouseenter", () => onPoint(key, true));
        line.addEventListener("mouseleave", () => onPoint(key, false));
      }
      return line;
    })));
}

/**
 * @param {ReportData} report
 * @param {Explanation} explanation
 * @param {(name: string, isOn: boolean) => void} onPoint
 */
function contributionsView(report, explanation, onPoint) {
  const named = (/** @type {[TextNumber, number][]} */ list) => list.map(([text, amount]) => /** @type {[string, number]} */ ([report.texts[text] ?? "", amount]));
  const [facts, constants] = [named(explanation.facts), named(explanation.constants)];
  const place = html("div", {});
  let most = 12;
  let isFacts = true;
  const draw = () => {
    const list = isFacts ? facts : constants;
    if (list.length <= most + 4) most = list.length;
    const all = isFacts ? facts.length + explanation.facts_rest[0] : 0;
    const left = all - Math.min(most, list.length);
    // The report has six digits of each number.
    const others = left > 0 ? formatAmount(left, "other fact") : "digits left out";
    const rest = isFacts ? others : "all others together";
    const caption = isFacts ? "What each fact brings: bars start where the one above ended" : "What each constant brings: it shares equally what its facts bring";
    refill(place, waterfall(caption, isFacts ? "Fact" : "Constant", explanation, list.slice(0, most), rest, onPoint),
      list.length > most && button(`Show ${formatCount(list.length - most)} more`, "Show more contributions", () => ((most = list.length), draw())));
  };
  draw();
  const choice = (/** @type {string} */ text, /** @type {boolean} */ facts) => html("button", {
    type: "button", "aria-pressed": String(facts === isFacts),
    click: (/** @type {Event} */ event) => {
      isFacts = facts;
      most = 12;
      const pressed = /** @type {Element} */ (event.currentTarget);
      for (const other of pressed.parentElement?.children ?? []) other.setAttribute("aria-pressed", String(other === pressed));
      draw();
    },
  }, text);
  return html("div", {}, constants.length > 0 && html("p", { class: "controls" }, choice("By fact", true), choice("By constant", false)), place);
}

/**
 * @param {ReportData} report
 * @param {Explanation} explanation
 */
function rulesTable(report, explanation) {
  if (explanation.rules.length === 0) return null;
  return sortedTable({
    caption: "What comes to the value through each rule",
    page: 10,
    rows: explanation.rules,
    columns: [
      { title: "Rule", isHead: true, cell: ([text]) => dataCode(report.texts[text] ?? "", 120) },
      { title: "Own facts", about: "What the facts that it reads itself bring; over all rules this adds up", isNumber: true, sort: (row) => row[1], cell: (row) => formatSigned(row[1]) },
      { title: "All through it", about: "All that comes through it", isNumber: true, sort: (row) => row[2], cell: (row) => formatSigned(row[2]) },
    ],
  }).element;
}

/**
 * @param {ReportData} report
 * @param {Explanation} explanation
 */
function changesTable(report, explanation) {
  if (explanation.changes.length === 0) return null;
  return sortedTable({
    caption: "The value where one fact counts 0 instead of 1, all others as they are",
    page: 8,
    rows: explanation.changes,
    columns: [
      { title: "Fact", isHead: true, cell: ([text]) => dataCode(report.texts[text] ?? "", 80) },
      { title: "Value without", isNumber: true, sort: (row) => row[2], cell: (row) => formatFixed(row[2], 4) },
      { title: "Change", isNumber: true, sort: (row) => row[2] - explanation.value, cell: (row) => formatSigned(row[2] - explanation.value) },
      { title: "Slope", about: "How fast the value grows with the fact", isNumber: true, sort: (row) => row[1], cell: (row) => formatSigned(row[1]) },
    ],
  }).element;
}

/**
 * What needs the whole width: the network, rules, the tree.
 * @param {ReportData} report
 * @param {Explanation} explanation
 * @param {string} title
 */
function explanationView(report, explanation, title) {
  return html("div", {},
    html("section", {}, html("h4", {}, "Network"), networkView(report, explanation.network, { title: `The network of ${title}` })),
    html("section", { class: "pair" },
      html("div", {}, html("h4", {}, "What would change it most"), changesTable(report, explanation)),
      html("div", {}, html("h4", {}, "Rules"), rulesTable(report, explanation))),
    html("details", { "data-print": true }, html("summary", {}, html("h4", {}, "The tree of rules and facts")),
      html("div", { class: "tree" }, treeView(report, explanation.tree, 3))));
}
