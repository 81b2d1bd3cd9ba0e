// What a drawing of a network is made of: shapes, labels, the key.

const NODE_HEIGHT = 38;
const LONGEST_LABEL = 24;
/** The least scale at which letters are read with ease. */
const READABLE = 0.62;
const COLUMN_GAP = 50;
/** @type {Record<string, string>} */
const KINDS = { fact: "fact", atom: "atom", rule: "rule", aggregation: "aggregation", literal: "literal", folded: "not in this report" };

/**
 * The outline of a kind of node, around the middle of its left side.
 * @param {string} kind
 * @param {number} width
 */
function nodeShape(kind, width) {
  const [half, cut] = [NODE_HEIGHT / 2, 11];
  if (kind === "rule") return svg("path", { class: "shape", d: `M${cut} ${-half}H${width - cut}L${width} 0L${width - cut} ${half}H${cut}L0 0Z` });
  if (kind === "aggregation") return svg("ellipse", { class: "shape", cx: width / 2, cy: 0, rx: width / 2, ry: half });
  const round = kind === "atom" ? half : kind === "literal" ? 8 : 0;
  return svg("rect", { class: "shape", x: 0, y: -half, width, height: NODE_HEIGHT, rx: round });
}

/**
 * What stands on edges between the same two nodes: weights, and in a template what must be equal. A weight that is just 1 says nothing.
 * @param {NetworkEdge[]} edges
 * @param {(edge: NetworkEdge) => string} nameOf
 * @param {boolean} isTemplate
 */
function edgesLabel(edges, nameOf, isTemplate) {
  const labels = edges.map((edge) => {
    const name = nameOf(edge);
    const isPlain = edge.weight.length === 0 || (edge.weight.length === 1 && edge.weight[0] === 1 && (isTemplate || !name));
    const weight = isPlain ? "" : edge.weight.length === 1 ? formatNumber(edge.weight[0], 3) : `${edge.weight.length} weights`;
    return `${edge.negated ? "not " : ""}${[isTemplate ? name : "", weight].filter((part) => part).join(", ")}`.trim();
  });
  return shortText([...new Set(labels.filter((label) => label))].join(", "), 24);
}

/** @param {string[]} kinds */
function networkKeys(kinds) {
  return html("span", { class: "legend" }, ...Object.keys(KINDS).filter((kind) => kinds.includes(kind)).map((kind) => html("span", { class: "key" },
    svg("svg", { class: "network sample", viewBox: "-2 -21 72 42", width: 36, height: 21, "aria-hidden": "true" }, svg("g", { class: `node ${kind} p3` }, nodeShape(kind, 68))), KINDS[kind])));
}
