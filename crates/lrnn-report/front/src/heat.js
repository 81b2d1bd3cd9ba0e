// Concepts: weights as heat maps, lighter for low, darker for high, in both themes; where weights have both signs, blue
// is below 0 and red above.

const HEAT = [[250, 246, 236], [112, 166, 196], [20, 42, 94]];
const SIGNED = [[33, 102, 172], [255, 255, 255], [194, 40, 45]];

/**
 * The colour of a share of 1, and whether text on it must be white.
 * @param {number} share
 * @param {boolean} isSigned
 */
function heatColour(share, isSigned) {
  const colours = isSigned ? SIGNED : HEAT;
  const at = Math.max(0, Math.min(1, share)) * 2;
  const [from, to] = at < 1 ? [colours[0], colours[1]] : [colours[1], colours[2]];
  const colour = from.map((value, part) => Math.round(value + (to[part] - value) * (at < 1 ? at : at - 1)));
  const [red, green, blue] = colour.map((value) => (value / 255) ** 2.2);
  const isDark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
  return { css: `rgb(${colour.join(" ")})`, isDark };
}

/**
 * @param {Concept} concept
 * @param {number} most How many rows are shown at first.
 */
function heatMap(concept, most) {
  const numbers = concept.values.flat().filter((value) => value !== null);
  const low = numbers.reduce((least, value) => Math.min(least, value), Infinity);
  const high = numbers.reduce((largest, value) => Math.max(largest, value), -Infinity);
  const isSigned = low < 0 && high > 0;
  const [least, largest] = isSigned ? [-Math.max(-low, high), Math.max(-low, high)] : [low, high];
  const body = html("tbody", {});
  const line = (/** @type {number} */ row) => html("tr", {}, html("th", { scope: "row" }, dataText(concept.rows[row] ?? "", 28)),
    ...concept.columns.map((_, column) => {
      const value = concept.values[row]?.[column] ?? null;
      const cell = html("td", { class: value === null ? "none" : "heat" }, value === null ? "·" : formatFixed(value, 2));
      if (value !== null) {
        const colour = heatColour(largest > least ? (value - least) / (largest - least) : 0.5, isSigned);
        cell.style.background = colour.css;
        cell.style.color = colour.isDark ? "#fff" : "#000";
      }
      return cell;
    }));
  const draw = (/** @type {number} */ from, /** @type {number} */ to) => body.append(...concept.rows.slice(from, to).map((_, at) => line(from + at)));
  draw(0, most);
  const heads = concept.columns.map((name, at) => html("th", { scope: "col", class: concept.wild.includes(at) ? "wild" : null },
    dataText(name || "weight", 16), concept.wild.includes(at) && html("small", {}, "wild card")));
  const table = html("table", { class: "heatmap" },
    html("caption", {}, dataText(concept.title, 80), concept.model && html("small", {}, dataText(concept.model, 40))),
    html("thead", {}, html("tr", {}, html("td", {}), ...heads)), body);
  const view = html("div", { class: "concept" }, html("div", { class: "wide" }, table));
  if (concept.rows.length > most) {
    const more = button(`Show all ${formatCount(concept.rows.length)} rows`, `Show all ${formatCount(concept.rows.length)} rows of ${visibleText(concept.title)}`, () => {
      draw(most, concept.rows.length);
      more.remove();
    });
    view.append(more);
  }
  if (numbers.length > 0) view.append(heatLegend(least, largest, isSigned));
  return view;
}

/**
 * @param {number} low
 * @param {number} high
 * @param {boolean} isSigned
 */
function heatLegend(low, high, isSigned) {
  const scale = html("span", { class: "scale heat-scale", "aria-hidden": "true" });
  scale.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((share) => heatColour(share, isSigned).css).join(", ")})`;
  return html("p", { class: "legend" }, formatFixed(low, 2), scale, formatFixed(high, 2));
}

/** @param {ReportData} report */
function conceptsSection(report) {
  const concepts = report.concepts ?? [];
  if (concepts.length === 0) return null;
  const models = [...new Set(concepts.map((concept) => concept.model))];
  const wild = concepts.some((concept) => concept.wild.length > 0);
  const grid = html("div", { class: "concepts" });
  const draw = (/** @type {string} */ model) => refill(grid, ...concepts.filter((concept) => concept.model === model).slice(0, 60).map((concept) => heatMap(concept, 18)));
  draw(models[0]);
  const choose = html("select", { change: () => draw(models[choose.selectedIndex]) }, ...models.map((model) => html("option", {}, visibleText(model) || "the model")));
  return section("concepts", "Concepts",
    html("p", {}, "The weights of the rules that define each predicate: lighter is lower, darker higher, or blue below 0 and red above. Rows are what enters, columns the groups; groups that are alike stand side by side."),
    wild && html("p", {}, "A column marked ", html("em", {}, "wild card"), " gives all its rows almost the same weight: it takes anything."),
    models.length > 1 && html("p", { class: "controls" }, html("label", {}, "Model ", choose)),
    grid);
}
