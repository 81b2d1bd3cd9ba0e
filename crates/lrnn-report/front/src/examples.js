// The browser of examples: a list to search, filter and sort, and one example with its explanation.

/** @typedef {{ number: number, at: number, example: Example, answer: Answer | null }} ExampleRow */

/** @type {{ report: ReportData, counts: Map<string, number> } | null} */
let nameCounts = null;

/**
 * The link to an answer; by number where a name is not the only one of its kind.
 * @param {ReportData} report
 * @param {number} number
 * @param {number} at
 */
function exampleHash(report, number, at) {
  if (nameCounts?.report !== report) {
    nameCounts = { report, counts: new Map() };
    for (const { name } of report.examples) nameCounts.counts.set(name, (nameCounts.counts.get(name) ?? 0) + 1);
  }
  const name = report.examples[number].name;
  const answer = at > 0 ? `&answer=${at + 1}` : "";
  try {
    if (name && name.length < 400 && nameCounts.counts.get(name) === 1) return `#example=${encodeURIComponent(name)}${answer}`;
  } catch {
    // A name that is no text: the number will do.
  }
  return `#number=${number + 1}${answer}`;
}

/**
 * @param {ExampleRow[]} rows
 * @param {string} hash
 */
function rowOfHash(rows, hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B"));
  const [name, number, answer] = [asked.get("example"), asked.get("number"), Number(asked.get("answer") ?? 1)];
  if (name === null && number === null) return null;
  return rows.find((row) => row.at === answer - 1 && (name === null ? row.number === Number(number) - 1 : row.example.name === name)) ?? null;
}

/**
 * The columns of the list: those that tell rows apart.
 * @param {ReportData} report
 * @param {ExampleRow[]} rows
 */
function exampleColumns(report, rows) {
  const parts = new Set(rows.map((row) => row.example.part));
  const asksOne = new Set(rows.map((row) => row.answer?.atom)).size <= 1;
  const link = (/** @type {ExampleRow} */ row, /** @type {string} */ text) => html("a", { href: exampleHash(report, row.number, row.at) }, dataText(text, 36));
  /** @type {(Column<ExampleRow> | false)[]} */
  const columns = [
    (report.examples.length > 1 || asksOne) && { title: "Example", isHead: true, sort: (row) => row.example.name, cell: (row) => link(row, row.example.name || `number ${row.number + 1}`) },
    !asksOne && { title: "Query", isHead: report.examples.length === 1, sort: (row) => row.answer?.atom, cell: (row) => link(row, row.answer?.atom ?? "no query") },
    parts.size > 1 && { title: "Part", sort: (row) => row.example.part, cell: (row) => dataText(row.example.part, 20) },
    { title: "Target", isNumber: true, sort: (row) => row.answer?.target?.[0], cell: (row) => formatValue(row.answer?.target) },
    { title: "Value", isNumber: true, sort: (row) => row.answer?.value?.[0], cell: (row) => (row.answer?.value?.length === 1 ? formatFixed(row.answer.value[0], 3) : formatValue(row.answer?.value)) },
    { title: "Loss", about: "How far from the target: sort by it to see the worst first", isNumber: true, sort: (row) => row.answer?.loss, cell: (row) => formatFixed(row.answer?.loss, 3) },
    { title: "Answer", sort: (row) => (row.answer?.is_wrong === null ? null : Number(row.answer?.is_wrong)), cell: (row) => verdict(row.answer) },
  ];
  return columns.filter((column) => column !== false);
}

/**
 * A choice of one value or all.
 * @param {string} label
 * @param {string[]} values
 * @param {() => void} change
 */
function filterChoice(label, values, change) {
  const select = html("select", { change, "aria-label": label }, html("option", {}, "all"), ...values.map((value) => html("option", {}, shortText(visibleText(value), 60))));
  return { element: html("label", {}, `${label} `, select), value: () => (select.selectedIndex > 0 ? values[select.selectedIndex - 1] : null) };
}

/** @param {ReportData} report */
function examplesSection(report) {
  const examples = report.examples ?? [];
  if (examples.length === 0) return null;
  /** @type {ExampleRow[]} */
  const rows = [];
  examples.forEach((example, number) => {
    if (example.answers.length === 0) rows.push({ number, at: 0, example, answer: null });
    example.answers.forEach((answer, at) => rows.push({ number, at, example, answer }));
  });
  /** @type {ExampleRow | null} */
  let current = null;
  const columns = exampleColumns(report, rows);
  const loss = columns.findIndex((column) => column.title === "Loss");
  const list = sortedTable({
    caption: rows.length === examples.length ? "Examples" : "Answers", hideCaption: true, columns, rows, page: 25, by: loss, isDown: true,
    onRow: (line, row) => mark(line, row),
  });
  const detail = html("article", { class: "example", "aria-label": "The chosen example", tabindex: -1 });
  const more = html("div", { class: "chosen" });

  /** @param {HTMLTableRowElement} line @param {ExampleRow} row */
  function mark(line, row) {
    if (row === current) line.setAttribute("aria-current", "true");
    line.addEventListener("click", (event) => {
      if (!(event.target instanceof Element && event.target.closest("a"))) location.hash = exampleHash(report, row.number, row.at);
    });
  }

  /** @param {ExampleRow | null | undefined} row */
  function show(row) {
    if (!row) return;
    current = row;
    list.show(row);
    list.redraw();
    refill(more, exampleMore(report, row));
    refill(detail, exampleView(report, row, (step) => {
      const other = list.neighbour(row, step);
      return other ? exampleHash(report, other.number, other.at) : null;
    }));
  }

  const search = html("input", { type: "search", placeholder: "name, query or fact", input: () => (clearTimeout(timer), (timer = setTimeout(filter, 120))) });
  let timer = 0;
  const targets = [...new Set(rows.map((row) => formatValue(row.answer?.target)))].sort(textOrder.compare).slice(0, 40);
  const parts = [...new Set(rows.map((row) => row.example.part))].sort(textOrder.compare);
  const byTarget = filterChoice("Target", targets, () => filter());
  const byPart = filterChoice("Part", parts, () => filter());
  const byRight = filterChoice("Answer", ["right", "wrong"], () => filter());
  const explained = rows.filter((row) => row.answer?.explanation).length;
  const byExplained = filterChoice("Explained", ["yes", "no"], () => filter());
  const count = html("p", { class: "count", "aria-live": "polite" });

  /** @type {Map<Example, string>} */
  const lowerTexts = new Map();
  /** The facts in small letters, made once. @param {Example} example */
  function lowered(example) {
    const text = lowerTexts.get(example) ?? example.text.toLowerCase();
    lowerTexts.set(example, text);
    return text;
  }

  function filter() {
    const words = search.value.toLowerCase().trim();
    const told = examples.length > 1 && words !== "" ? new Set(examples.filter((example) => lowered(example).includes(words))) : null;
    const [target, part, right, isExplained] = [byTarget.value(), byPart.value(), byRight.value(), byExplained.value()];
    const found = rows.filter((row) =>
      (target === null || formatValue(row.answer?.target) === target) && (part === null || row.example.part === part)
      && (isExplained === null || Boolean(row.answer?.explanation) === (isExplained === "yes"))
      && (right === null || row.answer?.is_wrong === (right === "wrong"))
      && (words === "" || row.example.name.toLowerCase().includes(words) || (row.answer?.atom ?? "").toLowerCase().includes(words) || told?.has(row.example)));
    list.setRows(found);
    const wrong = found.filter((row) => row.answer?.is_wrong).length;
    count.textContent = `${formatCount(found.length)} of ${formatAmount(rows.length, "answer")}, ${formatCount(wrong)} wrong`;
  }

  list.body.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const row = step !== 0 && current ? list.neighbour(current, step) : null;
    if (!row) return;
    event.preventDefault();
    history.replaceState(null, "", exampleHash(report, row.number, row.at));
    show(row);
    /** @type {HTMLElement | null} */ (list.body.querySelector("[aria-current] a"))?.focus();
  });
  window.addEventListener("hashchange", () => {
    const row = rowOfHash(rows, location.hash);
    if (!row) return;
    show(row);
    const bounds = detail.getBoundingClientRect();
    if (bounds.top < 0 || bounds.top > innerHeight * 0.6) detail.scrollIntoView({ block: "start" });
  });
  filter();
  const asked = rowOfHash(rows, location.hash);
  show(asked ?? list.first((row) => Boolean(row.answer?.explanation)));
  if (asked) requestAnimationFrame(() => detail.scrollIntoView({ block: "start" }));
  return section("examples", "Examples",
    html("p", {}, "Choose an example to see why it got its value. The worst come first; arrow keys go through the list, and the address of the page links to what is shown."),
    html("div", { class: "browser" },
      html("div", { class: "list" },
        html("div", { class: "controls", role: "search" }, html("label", {}, "Search ", search), targets.length > 1 && byTarget.element, parts.length > 1 && byPart.element, byRight.element, explained > 0 && explained < rows.length && byExplained.element),
        count, list.element),
      detail),
    more);
}
