// Where the nodes of a network stand: in columns, near what they belong to, with few crossings.

/** A thing in a column: a node, or a bend of an edge that passes the column. */
/** @typedef {{ node: number, column: number, y: number, height: number, next: number[], previous: number[] }} Place */

/**
 * The column of each node, counted from the right: one further left than all that it enters.
 * @param {Network} network
 * @param {number[]} nodes
 * @param {NetworkEdge[]} edges
 * @param {boolean} keepsLayers
 * @returns {Map<number, number>}
 */
function columnsOf(network, nodes, edges, keepsLayers) {
  /** @type {Map<number, number>} */
  const columns = new Map();
  if (keepsLayers) {
    const layers = [...new Set(nodes.map((node) => network.nodes[node].layer))].sort((left, right) => right - left);
    for (const node of nodes) columns.set(node, layers.indexOf(network.nodes[node].layer));
    return columns;
  }
  for (const node of nodes) columns.set(node, 0);
  const sorted = [...edges].sort((left, right) => network.nodes[right.to].layer - network.nodes[left.to].layer);
  for (const edge of sorted) {
    columns.set(edge.from, Math.max(columns.get(edge.from) ?? 0, (columns.get(edge.to) ?? 0) + 1));
  }
  return columns;
}

/**
 * Heights near those that are wished for, in the same order, with room between: neighbours that would overlap become one block, which
 * stands where its members wish on average.
 * @param {Place[]} places
 * @param {number[]} wishes
 */
function settle(places, wishes) {
  const order = places.map((_, at) => at).sort((left, right) => wishes[left] - wishes[right] || places[left].y - places[right].y);
  /** @type {{ members: number[], sum: number, height: number }[]} */
  const blocks = [];
  const top = (/** @type {{ members: number[], sum: number, height: number }} */ block) => block.sum / block.members.length;
  for (const at of order) {
    let block = { members: [at], sum: wishes[at] - places[at].height / 2, height: places[at].height };
    let before = blocks.at(-1);
    while (before && top(before) + before.height > top(block)) {
      // What the members of the second block wish, seen from the top of the joined block.
      block = {
        members: [...before.members, ...block.members],
        sum: before.sum + block.sum - before.height * block.members.length,
        height: before.height + block.height,
      };
      blocks.pop();
      before = blocks.at(-1);
    }
    blocks.push(block);
  }
  for (const block of blocks) {
    let y = top(block);
    for (const at of block.members) {
      places[at].y = y + places[at].height / 2;
      y += places[at].height;
    }
  }
}

/**
 * Places all nodes and bends.
 * @param {Network} network
 * @param {number[]} nodes Those that are shown, what counts most first.
 * @param {NetworkEdge[]} edges Those between them.
 * @param {boolean} keepsLayers
 */
function placeNetwork(network, nodes, edges, keepsLayers) {
  const columns = columnsOf(network, nodes, edges, keepsLayers);
  /** @type {Place[]} */
  const places = nodes.map((node) => ({ node, column: columns.get(node) ?? 0, y: 0, height: 52, next: [], previous: [] }));
  const placeOf = new Map(nodes.map((node, at) => [node, at]));
  /** @type {Map<NetworkEdge, number[]>} */
  const ways = new Map();
  for (const edge of edges) {
    const [from, to] = [placeOf.get(edge.from), placeOf.get(edge.to)];
    if (from === undefined || to === undefined) continue;
    const way = [from];
    for (let column = places[from].column - 1; column > places[to].column; column--) {
      way.push(places.push({ node: -1, column, y: 0, height: 16, next: [], previous: [] }) - 1);
    }
    way.push(to);
    for (let at = 1; at < way.length; at++) {
      places[way[at - 1]].next.push(way[at]);
      places[way[at]].previous.push(way[at - 1]);
    }
    ways.set(edge, way);
  }
  /** @type {number[][]} */
  const byColumn = [];
  places.forEach((place, at) => (byColumn[place.column] ??= []).push(at));
  for (const column of byColumn) {
    let y = 0;
    for (const at of column ?? []) {
      places[at].y = y;
      y += places[at].height;
    }
  }
  const pass = (/** @type {number[]} */ column, /** @type {"next" | "previous" | "both"} */ side) => {
    const wishes = column.map((at) => {
      const place = places[at];
      const near = side === "both" ? [...place.next, ...place.previous] : place[side];
      return near.length === 0 ? place.y : near.reduce((sum, other) => sum + places[other].y, 0) / near.length;
    });
    settle(column.map((at) => places[at]), wishes);
  };
  const filled = byColumn.filter((column) => column);
  for (let round = 0; round < 10; round++) {
    filled.forEach((column) => pass(column, "next"));
    [...filled].reverse().forEach((column) => pass(column, round < 6 ? "previous" : "both"));
  }
  return { places, placeOf, ways, columns: filled.length };
}
