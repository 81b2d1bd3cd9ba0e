// An example or a pattern as a graph: constants as nodes, a relation as edges, contributions as colour.

/** @typedef {{ size?: number, label: string, showsAmounts?: boolean, widest?: number }} GraphOptions */

/**
 * From −1 to 1, as the share of a colour in a style: negative ones have a class of their own.
 * @param {Element & ElementCSSInlineStyle} element
 * @param {number | null} amount
 * @param {number} most
 */
function paintAmount(element, amount, most) {
  if (amount === null || most === 0) return;
  element.classList.add(amount < 0 ? "less" : "more");
  element.style.setProperty("--share", Math.sqrt(Math.min(1, Math.abs(amount) / most)).toFixed(3));
}

/**
 * @param {Graph} graph
 * @param {GraphOptions} options
 */
function graphPicture(graph, options) {
  const scale = options.size ?? 44;
  const { nodes, edges } = graph;
  const [xs, ys] = [nodes.map((node) => node.x), nodes.map((node) => node.y)];
  const [left, top] = [xs.reduce((a, b) => Math.min(a, b), 0) * scale, ys.reduce((a, b) => Math.min(a, b), 0) * scale];
  const [right, bottom] = [xs.reduce((a, b) => Math.max(a, b), 0) * scale, ys.reduce((a, b) => Math.max(a, b), 0) * scale];
  const edge = 26;
  const [width, height] = [right - left + 2 * edge, bottom - top + 2 * edge];
  const element = svg("svg", {
    class: "graph", role: "img", "aria-label": options.label, viewBox: `${left - edge} ${top - edge} ${width} ${height}`,
  });
  element.style.maxWidth = `${Math.min(options.widest ?? Infinity, width)}px`;
  const most = [...nodes, ...edges].reduce((most, item) => Math.max(most, Math.abs(item.amount ?? 0)), 0);
  const lines = edges.flatMap(({ from, to, label, amount }) => {
    const [a, b] = [nodes[from], nodes[to]];
    if (!a || !b) return [];
    const ends = { x1: a.x * scale, y1: a.y * scale, x2: b.x * scale, y2: b.y * scale };
    const halo = svg("line", { class: "halo", ...ends });
    paintAmount(halo, amount, most);
    return [svg("g", {}, halo, svg("line", { class: "bond", ...ends }),
      svg("title", {}, `${visibleText(a.text)} – ${visibleText(b.text)}${label ? ` (${shortText(visibleText(label), 200)})` : ""}${amount === null ? "" : `: ${formatSigned(amount)}`}`))];
  });
  const discs = nodes.map((node) => {
    const label = shortText(visibleText(node.label || node.text), 6);
    const disc = svg("circle", { class: "disc", cx: node.x * scale, cy: node.y * scale, r: 15 });
    paintAmount(disc, node.amount, most);
    return svg("g", { class: "constant", "data-constant": node.text.slice(0, 200) },
      svg("title", {}, `${shortText(visibleText(node.text), 400)}${node.label ? ` (${shortText(visibleText(node.label), 200)})` : ""}${node.amount === null ? "" : `: ${formatSigned(node.amount)}`}`),
      disc,
      svg("text", { class: label.length > 3 ? "symbol long" : "symbol", x: node.x * scale, y: node.y * scale + 4.5, "text-anchor": "middle" }, label));
  });
  element.append(...lines, ...discs);
  return { element, most };
}

/**
 * What the colours of contributions mean.
 * @param {number} most
 */
function amountLegend(most) {
  return html("p", { class: "legend" }, `lowers the value, ${formatSigned(-most, 3)}`, html("span", { class: "scale amount-scale", "aria-hidden": "true" }), `raises it, ${formatSigned(most, 3)}`,
    html("small", {}, "A dashed ring lowers it. Deeper is more; the scale grows with the root."));
}
