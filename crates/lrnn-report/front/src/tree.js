// The tree of rules and facts behind a value, as parts that open.

/** @type {Record<string, string>} */
const TREE_SIGNS = { atom: "●", fact: "■", rule: "⬡", aggregation: "◇", rest: "…" };

/**
 * @param {ReportData} report
 * @param {Tree} tree
 * @param {number} depth How many levels are open.
 * @returns {HTMLElement}
 */
function treeView(report, tree, depth) {
  const note = report.texts[tree.note] ?? "";
  const line = html("span", { class: `branch ${tree.kind}` },
    html("span", { class: "sign", title: tree.kind, role: "img", "aria-label": tree.kind }, TREE_SIGNS[tree.kind] ?? "·"),
    tree.weight.length > 0 && !(tree.weight.length === 1 && tree.weight[0] === 1) && html("span", { class: "weight", title: "weight" }, `${formatValue(tree.weight)} ×`),
    dataCode(report.texts[tree.text] ?? "", 200),
    tree.value !== null && html("span", { class: "value" }, `= ${formatNumber(tree.value)}`),
    note && html("small", {}, dataText(note, 200)));
  if (tree.below.length === 0) return html("div", { class: "leaf" }, line);
  const details = html("details", { open: depth > 0 }, html("summary", {}, line));
  let made = false;
  const fill = () => {
    if (made || !details.open) return;
    made = true;
    details.append(html("div", { class: "below" }, ...tree.below.map((below) => treeView(report, below, depth - 1))));
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}
