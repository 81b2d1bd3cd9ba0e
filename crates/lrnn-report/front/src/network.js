// A network that unfolds: which nodes are shown.

/**
 * @typedef {object} Unfolding
 * @property {(node: number) => NetworkEdge[]} inputs What enters a node, what counts most first.
 * @property {(node: number) => number} shown How many inputs of it are shown.
 * @property {(node: number) => void} unfold
 * @property {(node: number) => void} fold
 * @property {() => { nodes: number[], edges: NetworkEdge[] }} visible
 */

/** How many inputs one step unfolds. */
const UNFOLD_STEP = 12;

/**
 * @param {Network} network
 * @param {number} most About how many nodes are shown at first.
 * @returns {Unfolding}
 */
function unfoldingOf(network, most) {
  /** @type {Map<number, NetworkEdge[]>} */
  const entering = new Map();
  const leaves = new Set();
  for (const edge of network.edges) {
    if (!network.nodes[edge.from] || !network.nodes[edge.to] || edge.from === edge.to) continue;
    const list = entering.get(edge.to);
    if (list) list.push(edge);
    else entering.set(edge.to, [edge]);
    leaves.add(edge.from);
  }
  const inputs = (/** @type {number} */ node) => entering.get(node) ?? [];
  const roots = network.nodes.map((_, node) => node).filter((node) => !leaves.has(node));
  if (roots.length === 0 && network.nodes.length > 0) roots.push(network.nodes.length - 1);
  roots.sort((left, right) => network.nodes[right].layer - network.nodes[left].layer);
  /** @type {Map<number, number>} */
  const counts = new Map();
  const shown = (/** @type {number} */ node) => counts.get(node) ?? 0;
  // A rule with half of its body would tell little, and a few inputs are no crowd.
  const isWhole = (/** @type {number} */ node) => inputs(node).length <= (["rule", "literal"].includes(network.nodes[node].kind) ? UNFOLD_STEP : 4);

  function visible() {
    const seen = new Set(roots.slice(0, Math.max(most, 12)));
    /** @type {NetworkEdge[]} */
    const edges = [];
    for (const node of seen) {
      for (const edge of inputs(node).slice(0, shown(node))) {
        edges.push(edge);
        seen.add(edge.from);
      }
    }
    return { nodes: [...seen], edges };
  }

  // At first: again and again the input that counts most among those not shown; some come whole.
  if (network.nodes.length <= most * 1.5) {
    network.nodes.forEach((_, node) => counts.set(node, inputs(node).length));
  } else {
    const seen = new Set(roots);
    /** @type {{ node: number, weight: number }[]} */
    const waiting = roots.map((node) => ({ node, weight: 1 }));
    while (seen.size < most && waiting.length > 0) {
      waiting.sort((left, right) => right.weight - left.weight);
      const { node, weight } = waiting[0];
      const list = inputs(node);
      const from = shown(node);
      const to = isWhole(node) ? list.length : Math.min(from + 1, list.length);
      for (const edge of list.slice(from, to)) {
        if (!seen.has(edge.from)) waiting.push({ node: edge.from, weight: weight * 0.8 });
        seen.add(edge.from);
      }
      counts.set(node, to);
      waiting[0].weight *= 0.6;
      if (to >= list.length) waiting.shift();
    }
  }
  return {
    inputs, shown, visible,
    unfold(node) {
      const left = inputs(node).length - shown(node);
      counts.set(node, shown(node) + (left <= UNFOLD_STEP * 1.5 ? left : UNFOLD_STEP));
    },
    fold(node) {
      counts.set(node, 0);
    },
  };
}
