// Why a value is what it is: contributions that add up, what would change it, the tree, the network.

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
  const rows = [{ name: "Baseline: what the model says without the example's facts", from: explanation.baseline, to: explanation.baseline, style: "total", text: formatFixed(explanation.baseline, 4) }];
  let at = explanation.baseline;
  const step = (/** @type {Child} */ name, /** @type {number} */ amount, /** @type {string} */ key) => {
    rows.push({ name, from: at, to: at + amount, style: amount < 0 ? "less" : "more", text: formatSigned(amount), key });
    at += amount;
  };
  for (const [name, amount] of shown) step(dataCode(name, 60), amount, name);
  if (Math.abs(rest) > 1e-9) step(html("i", {}, restName), rest, "");
  if (Math.abs(explanation.residual) > 5e-7) step(html("i", {}, "left by rounding"), explanation.residual, "");
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
  let isFacts = constants.length === 0;
  const draw = () => {
    const [list, rest] = isFacts ? [facts, explanation.facts_rest] : [constants, explanation.constants_rest];
    if (list.length <= most + 4) most = list.length;
    const left = list.length + rest[0] - Math.min(most, list.length);
    // The report has six digits of each number.
    const others = left > 0 ? formatAmount(left, isFacts ? "other fact" : "other constant") : "digits left out";
    const caption = isFacts ? "What each fact brings, mirror images together: bars start where the one above ended" : "What each constant brings with all its facts: bars start where the one above ended";
    refill(place, waterfall(caption, isFacts ? "Fact" : "Constant", explanation, list.slice(0, most), others, onPoint),
      list.length > most && button(`Show ${formatCount(list.length - most)} more`, "Show more contributions", () => ((most = list.length), draw())),
      html("p", { class: "hint" }, `Facts are taken away and come back one after the other; a contribution is the mean change when it comes, over ${formatCount(explanation.orders)} orders.`));
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
  return html("div", {}, constants.length > 0 && html("p", { class: "controls" }, choice("By constant", false), choice("By fact", true)), place);
}

/**
 * @param {ReportData} report
 * @param {Explanation} explanation
 */
function changesTable(report, explanation) {
  if (explanation.changes.length === 0) return null;
  const isNone = explanation.changes.every((row) => Math.abs(row[1] - explanation.value) < 5e-5);
  if (isNone) {
    return html("p", {}, "None of the facts that contribute most changes the value alone: without it, others give the same.");
  }
  return sortedTable({
    caption: "The value without one fact and all that needs it",
    page: 8,
    rows: explanation.changes,
    columns: [
      { title: "Fact", isHead: true, cell: ([text]) => dataCode(report.texts[text] ?? "", 80) },
      { title: "Value without", isNumber: true, sort: (row) => row[1], cell: (row) => formatFixed(row[1], 4) },
      { title: "Change", isNumber: true, sort: (row) => row[1] - explanation.value, cell: (row) => formatSigned(row[1] - explanation.value) },
    ],
  }).element;
}

/**
 * What needs the whole width: the network, what would change the value, the tree.
 * @param {ReportData} report
 * @param {Explanation} explanation
 * @param {string} title
 */
function explanationView(report, explanation, title) {
  return html("div", {},
    html("section", {}, html("h4", {}, "Network"), networkView(report, explanation.network, { title: `The network of ${title}` })),
    html("section", {}, html("h4", {}, "What would change it most"), changesTable(report, explanation)),
    html("details", { "data-print": true }, html("summary", {}, html("h4", {}, "The tree of rules and facts")),
      html("div", { class: "tree" }, treeView(report, explanation.tree, 3))));
}
