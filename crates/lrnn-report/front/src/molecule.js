// A molecule as its skeletal formula: strokes and letters as they come, contributions as halos on atoms and bonds.

const ELEMENTS = ["N", "O", "S", "P", "F", "Cl", "Br", "I"];

/**
 * @param {SkeletalFormula} formula
 * @param {{ label: string, widest: number }} options
 */
function moleculePicture(formula, options) {
  const scale = 40;
  const [width, height] = [formula.size[0] * scale, formula.size[1] * scale];
  const element = svg("svg", { class: "graph molecule", role: "img", "aria-label": options.label, viewBox: `0 0 ${width} ${height}` });
  element.style.maxWidth = `${Math.min(options.widest, width)}px`;
  const parts = [...formula.bonds, ...formula.atoms];
  const most = parts.reduce((most, part) => Math.max(most, Math.abs(part.amount ?? 0)), 0);
  const halos = parts.map((part) => {
    const [from, to] = part.at.map(([x, y]) => [x * scale, y * scale]);
    const shape = to
      ? svg("line", { class: "halo", x1: from[0], y1: from[1], x2: to[0], y2: to[1] })
      : svg("circle", { class: "glow", cx: from[0], cy: from[1], r: scale * 0.36 });
    paintAmount(shape, part.amount, most);
    return svg("g", { class: "constant", "data-constant": part.name.slice(0, 200) },
      svg("title", {}, `${visibleText(part.name)}${part.amount === null ? "" : `: ${formatSigned(part.amount)}`}`), shape);
  });
  const strokes = formula.strokes.map(({ from, to, dashed }) => svg("line", {
    class: dashed ? "stroke dashed" : "stroke", x1: from[0] * scale, y1: from[1] * scale, x2: to[0] * scale, y2: to[1] * scale,
  }));
  const letters = formula.letters.map(({ at, anchor, text, small, element: symbol }) => svg("text", {
    class: `letters ${ELEMENTS.includes(symbol) ? `el-${symbol.toLowerCase()}` : ""} ${small ? "small" : ""}`,
    x: at[0] * scale, y: at[1] * scale, "text-anchor": anchor,
  }, visibleText(text)));
  element.append(...halos, ...strokes, ...letters);
  return { element, most };
}
