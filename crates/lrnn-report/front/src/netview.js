// The drawing of a network.

/**
 * @param {ReportData} report
 * @param {Network} network
 * @param {{ title: string, most?: number, keepsLayers?: boolean }} options
 */
function networkView(report, network, options) {
  const keepsLayers = options.keepsLayers ?? false;
  const state = unfoldingOf(network, options.most ?? 30);
  const text = (/** @type {number} */ number) => visibleText(report.texts[number] ?? "");
  const heaviest = network.edges.reduce((most, edge) => Math.max(most, edge.weight.length === 1 ? Math.abs(edge.weight[0]) : 0), 1);
  const largest = network.nodes.reduce((most, node) => Math.max(most, Math.abs(node.value ?? 0)), 1);
  const picture = svg("svg", { class: "network", tabindex: 0, role: "group", "aria-label": `${options.title}. Arrow keys move it, plus and minus zoom, 0 shows all; Tab goes through its nodes.` });
  const edgesLayer = svg("g", {});
  const nodesLayer = svg("g", {});
  picture.append(edgesLayer, nodesLayer);
  const told = html("p", { class: "told", "aria-live": "polite" });
  const zoomer = panZoom(picture);
  /** @type {Map<number, { x: number, y: number }>} */
  let middles = new Map();

  /** @param {number} node */
  function tell(node) {
    const it = network.nodes[node];
    const about = text(it.about);
    refill(told, html("b", {}, KINDS[it.kind] ?? it.kind), " ", dataText(text(it.text), 300), it.value === null ? "" : ` = ${formatNumber(it.value, 6)}`,
      about && about !== text(it.text) ? html("span", {}, " · ", dataText(about, 400)) : null);
    for (const path of edgesLayer.children) path.classList.toggle("near", path.getAttribute("data-to") === String(node) || path.getAttribute("data-from") === String(node));
  }

  /**
   * @param {number} node
   * @param {"unfold" | "fold"} act
   */
  function change(node, act) {
    const before = middles.get(node);
    state[act](node);
    draw();
    const after = middles.get(node);
    if (before && after) zoomer.follow(after.x - before.x, after.y - before.y);
    /** @type {SVGElement | null} */ (nodesLayer.querySelector(`[data-node="${node}"]`))?.focus({ preventScroll: true });
  }

  /**
   * The second line of a node: its value, and what an aggregation does.
   * @param {number} node
   */
  function valueOf(node) {
    const it = network.nodes[node];
    const number = it.value === null ? "" : formatNumber(it.value, 4);
    const about = it.kind === "aggregation" ? text(it.about).split(",")[0] : "";
    return about && about.length < 18 && number ? `${about}: ${number}` : number;
  }

  /**
   * @param {number} node
   * @param {number} width
   */
  function drawNode(node, width) {
    const it = network.nodes[node];
    const inputs = state.inputs(node).length;
    const hidden = inputs - state.shown(node);
    const label = shortText(text(it.text) || KINDS[it.kind], LONGEST_LABEL);
    const value = valueOf(node);
    const group = svg("g", {
      class: `node ${it.kind} p${it.predicate % 8}`, tabindex: 0, role: "button", "data-node": node,
      "aria-label": shortText(`${KINDS[it.kind]} ${text(it.text)}${value ? `, value ${value}` : ""}${inputs > 0 ? `, ${state.shown(node)} of ${inputs} inputs shown` : ""}`, 400),
      "aria-expanded": inputs > 0 ? String(hidden === 0) : null,
      focus: () => tell(node),
      mouseenter: () => tell(node),
      click: () => tell(node),
      dblclick: () => inputs > 0 && change(node, hidden > 0 ? "unfold" : "fold"),
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if ((event.key !== "Enter" && event.key !== " ") || inputs === 0) return;
        event.preventDefault();
        change(node, hidden > 0 && !event.shiftKey ? "unfold" : "fold");
      },
    }, svg("title", {}, shortText(`${KINDS[it.kind]}: ${text(it.about) || text(it.text)}`, 1000)), nodeShape(it.kind, width));
    const shape = /** @type {SVGElement} */ (group.lastElementChild);
    if (it.value !== null) shape.style.setProperty("--share", Math.min(1, Math.abs(it.value) / largest).toFixed(3));
    group.append(svg("text", { class: "name", x: width / 2, y: value ? -2 : 4, "text-anchor": "middle" }, label));
    if (value) group.append(svg("text", { class: "value", x: width / 2, y: 12, "text-anchor": "middle" }, value));
    if (hidden > 0) group.append(badge(`+${formatCount(hidden)}`, 5, 0, () => change(node, "unfold"), "Unfold inputs"));
    if (state.shown(node) > 0 && !keepsLayers) group.append(badge("−", hidden > 0 ? 28 : 7, hidden > 0 ? -NODE_HEIGHT / 2 : 0, () => change(node, "fold"), "Fold inputs"));
    return group;
  }

  /**
   * @param {string} label
   * @param {number} x
   * @param {number} y
   * @param {() => void} click
   * @param {string} about
   */
  function badge(label, x, y, click, about) {
    const width = 10 + label.length * 7;
    return svg("g", {
      class: label === "−" ? "badge close" : "badge", transform: `translate(${x - width} ${y})`,
      click: (/** @type {Event} */ event) => (event.stopPropagation(), click()),
      dblclick: (/** @type {Event} */ event) => event.stopPropagation(),
    }, svg("title", {}, about), svg("rect", { x: 0, y: -9, width, height: 18, rx: 9 }), svg("text", { x: width / 2, y: 4, "text-anchor": "middle" }, label));
  }

  function draw() {
    const { nodes, edges: all } = state.visible();
    /** @type {Map<string, NetworkEdge[]>} */
    const bundles = new Map();
    for (const edge of all) {
      const ends = `${edge.from} ${edge.to}`;
      const bundle = bundles.get(ends);
      if (bundle) bundle.push(edge);
      else bundles.set(ends, [edge]);
    }
    const edges = [...bundles.values()].map((bundle) => bundle[0]);
    const layout = placeNetwork(network, nodes, edges, keepsLayers);
    const widths = Array.from({ length: layout.columns }, () => 70);
    for (const { node, column } of layout.places) {
      if (node < 0) continue;
      const [name, value] = [text(network.nodes[node].text) || KINDS[network.nodes[node].kind], valueOf(node)];
      widths[column] = Math.max(widths[column], Math.min(LONGEST_LABEL, name.length) * 6.6 + 28, value.length * 5.8 + 32);
    }
    // Where many edges meet there is more room.
    const gaps = widths.map((_, column) => COLUMN_GAP * (keepsLayers ? 2 : 1) + Math.min(70, 4 * layout.places.filter((place) => place.column === column).length));
    const lefts = widths.map((_, column) => -widths.slice(0, column + 1).reduce((sum, width, at) => sum + width + gaps[at], 0));
    edgesLayer.replaceChildren(...[...bundles.values()].flatMap((bundle) => {
      const way = layout.ways.get(bundle[0])?.map((at) => layout.places[at]);
      return way ? [drawEdges(bundle, way, lefts, widths)] : [];
    }));
    middles = new Map();
    nodesLayer.replaceChildren(...nodes.map((node) => {
      const place = layout.places[Number(layout.placeOf.get(node))];
      const group = drawNode(node, widths[place.column]);
      group.setAttribute("transform", `translate(${lefts[place.column]} ${place.y.toFixed(1)})`);
      middles.set(node, { x: lefts[place.column], y: place.y });
      return group;
    }));
    const ys = layout.places.map((place) => place.y);
    const [top, bottom] = [ys.reduce((a, b) => Math.min(a, b), Infinity), ys.reduce((a, b) => Math.max(a, b), -Infinity)];
    const left = lefts.at(-1) ?? 0;
    zoomer.setBox({ x: left - 30, y: top - 44, width: -left - gaps[0] + 60, height: bottom - top + 88 });
    return { width: -left - gaps[0] + 60, height: bottom - top + 88 };
  }

  /**
   * @param {NetworkEdge[]} bundle Edges between the same two nodes.
   * @param {Place[]} way
   * @param {number[]} lefts
   * @param {number[]} widths
   */
  function drawEdges(bundle, way, lefts, widths) {
    const [from, to] = [way[0], way[way.length - 1]];
    let [x, y] = [lefts[from.column] + widths[from.column], from.y];
    let path = `M${x} ${y.toFixed(1)}`;
    for (const bend of way.slice(1)) {
      const end = lefts[bend.column];
      const reach = (end - x) / 2;
      path += `C${x + reach} ${y.toFixed(1)} ${end - reach} ${bend.y.toFixed(1)} ${end} ${bend.y.toFixed(1)}`;
      [x, y] = [end, bend.y];
      if (bend !== to) path += `H${(x = end + widths[bend.column])}`;
    }
    const name = (/** @type {NetworkEdge} */ edge) => text(edge.name);
    const label = edgesLabel(bundle, name, keepsLayers);
    const [first] = bundle;
    const weight = first.weight.length === 1 ? first.weight[0] : 0;
    const told = bundle.map((edge) => `${name(edge) ? `${name(edge)}: ` : ""}${formatValue(edge.weight)}${edge.negated ? ", negated" : ""}`).join("\n");
    const group = svg("g", { class: `edge${weight < 0 ? " less" : ""}${first.negated ? " negated" : ""}`, "data-from": first.from, "data-to": first.to },
      svg("title", {}, shortText(told, 400)),
      svg("path", { d: path, "stroke-width": (1.3 + (weight === 1 ? 0 : (2.4 * Math.abs(weight)) / heaviest)).toFixed(2) }));
    if (label) group.append(svg("text", { class: "weight", x: lefts[from.column] + widths[from.column] + 7, y: from.y - 5 }, label));
    return group;
  }

  const drawn = draw();
  const controls = html("div", { class: "zoom" },
    button("+", "Zoom in", () => zoomer.zoom(1.25)), button("−", "Zoom out", () => zoomer.zoom(0.8)), button("Show all", "Show all of the drawing", () => zoomer.fit(0.1)));
  const view = html("div", { class: "network-view" }, controls, picture);
  let known = 0;
  const resize = () => {
    if (picture.clientWidth === known) return;
    known = picture.clientWidth;
    const scale = Math.max(READABLE, Math.min(1.15, known / drawn.width));
    picture.style.height = `${Math.max(220, Math.min(560, drawn.height * scale + 30)).toFixed(0)}px`;
    zoomer.fit(READABLE);
  };
  new ResizeObserver(resize).observe(picture);
  const kinds = [...new Set(network.nodes.map((node) => node.kind))];
  return figure(html("div", {}, view, told), networkKeys(kinds),
    network.nodes.some((node) => node.value !== null) ? "A stronger shade is a larger value. " : "",
    keepsLayers ? "On the edges stands what must be equal. " : "Numbers on edges are weights. ", network.nodes.length > 30 ? "“+n” unfolds n more inputs, those that count most first; “−” folds them again. " : "",
    network.left_out > 0 ? `${formatAmount(network.left_out, "neuron")} that count less are not in this report. ` : "",
    html("span", { class: "hint" }, "Drag or arrow keys move it; once it is clicked, the wheel zooms, as do + and −; 0 shows all; Enter unfolds a node."));
}
