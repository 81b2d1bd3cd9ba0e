// One example: its answer, its picture, why.

/** @param {Answer | null} answer */
function verdict(answer) {
  if (!answer || answer.is_wrong === null) return html("span", { class: "verdict", title: "no target" }, "–");
  return answer.is_wrong ? html("span", { class: "verdict wrong" }, "✗ wrong") : html("span", { class: "verdict right" }, "✓ right");
}

/**
 * @param {ReportData} report
 * @param {ExampleRow} row
 * @param {(step: number) => string | null} neighbour
 */
function exampleView(report, row, neighbour) {
  const { example, answer } = row;
  const title = example.name || `number ${row.number + 1}`;
  const turn = (/** @type {string} */ text, /** @type {number} */ step) => {
    const hash = neighbour(step);
    return hash ? html("a", { href: hash }, text) : html("span", { class: "faint" }, text);
  };
  const view = html("div", {},
    html("header", {}, html("h3", {}, dataText(title, 60)), verdict(answer), html("nav", { "aria-label": "Other examples" }, turn("‹ Previous", -1), turn("Next ›", 1))),
    html("dl", { class: "facts-line" },
      ...[
        ["Query", answer && dataCode(answer.atom, 80)], ["Value", formatValue(answer?.value)], ["Target", formatValue(answer?.target)], ["Loss", formatNumber(answer?.loss)],
        ["Part", dataText(example.part, 40)], ["Facts", formatCount(example.facts)],
      ].map(([name, value]) => html("div", {}, html("dt", {}, String(name)), html("dd", {}, value || "–")))));
  if (answer && answer.value === null) view.append(html("p", { class: "note" }, "The atom is not in the model: no rule leads to it, so it has no neuron and nothing to explain."));
  let onPoint = (/** @type {string} */ _name, /** @type {boolean} */ _isOn) => {};
  const picture = example.molecule
    ? moleculePicture(example.molecule, { label: `${visibleText(title)} as a skeletal formula; the halo of each atom and bond is what it brings`, widest: 640 })
    : example.picture && example.picture.nodes.length > 0
      ? graphPicture(example.picture, { label: `${visibleText(title)} as a graph; the colour of each constant is what it brings`, widest: 640 })
      : null;
  if (picture) {
    const { element, most } = picture;
    view.append(figure(element, most > 0 ? amountLegend(most) : ""));
    onPoint = (name, isOn) => {
      const words = new Set(example.molecule ? [name] : name.split(/[(),\s]+/).concat(name));
      for (const group of element.querySelectorAll(".constant")) group.classList.toggle("pointed", isOn && words.has(group.getAttribute("data-constant") ?? ""));
    };
  }
  if (answer?.explanation) view.append(html("h4", {}, "Contributions"), contributionsView(report, answer.explanation, onPoint));
  else if (answer?.value) view.append(html("p", { class: "note" }, "This answer is not explained in the report; ", html("code", {}, "lrnn explain"), " explains any."));
  return view;
}

/**
 * What stands below the list and the example.
 * @param {ReportData} report
 * @param {ExampleRow} row
 */
function exampleMore(report, { number, example, answer }) {
  const title = visibleText(example.name || `number ${number + 1}`);
  const view = answer?.explanation ? explanationView(report, answer.explanation, `${title}, ${visibleText(answer.atom)}`) : html("div", {});
  view.append(unfolding("The facts as they were written", () => [html("pre", { class: "source", tabindex: 0, "aria-label": "Facts" }, html("bdi", {}, visibleSource(example.text)))]));
  return view;
}
