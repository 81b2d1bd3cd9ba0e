// Tables that can be sorted, with pages where they are long.

/**
 * A column: its title, what it means, what its rows are sorted by, and what a cell shows.
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [about]
 * @property {boolean} [isNumber]
 * @property {boolean} [isHead] Whether its cells are the names of the rows.
 * @property {(row: T) => number | string | null | undefined} [sort]
 * @property {(row: T) => Child} cell
 */

/**
 * @template T
 * @typedef {object} TableOptions
 * @property {string} caption
 * @property {Column<T>[]} columns
 * @property {T[]} rows
 * @property {number} [page] How many rows a page has.
 * @property {number} [by] The column it is sorted by at first.
 * @property {boolean} [isDown]
 * @property {(line: HTMLTableRowElement, row: T) => void} [onRow]
 * @property {boolean} [hideCaption]
 */

const textOrder = new Intl.Collator("en", { numeric: true });

/**
 * @param {number | string | null | undefined} left
 * @param {number | string | null | undefined} right
 * @param {number} sign
 */
function compareCells(left, right, sign) {
  const [noLeft, noRight] = [left ?? null, right ?? null].map((value) => value === null || Number.isNaN(value));
  if (noLeft || noRight) return Number(noLeft) - Number(noRight);
  if (typeof left === "number" && typeof right === "number") return sign * (left - right);
  return sign * textOrder.compare(String(left), String(right));
}

/**
 * A table whose columns sort it.
 * @template T
 * @param {TableOptions<T>} options
 */
function sortedTable(options) {
  const { columns, page = 50 } = options;
  let all = options.rows;
  let by = options.by ?? -1;
  let isDown = options.isDown ?? false;
  let first = 0;
  /** @type {T[]} */
  let rows = [];
  const body = html("tbody", {});
  const place = html("span", { "aria-live": "polite" });
  const back = button("‹ Previous", "Previous rows", () => turn(-page));
  const next = button("Next ›", "Next rows", () => turn(page));
  const pager = html("div", { class: "pager" }, back, place, next);
  const heads = columns.map((column, at) => {
    const head = html("th", { scope: "col", class: column.isNumber ? "number" : null, title: column.about });
    if (column.sort) head.append(html("button", { type: "button", class: "sort", click: () => sortBy(at) }, column.title));
    else head.append(column.title || html("span", { class: "unseen" }, "as a bar"));
    return head;
  });
  const caption = html("caption", { class: options.hideCaption ? "unseen" : null }, options.caption);
  const table = html("table", {}, caption, html("thead", {}, html("tr", {}, ...heads)), body);

  /** @param {number} at */
  function sortBy(at) {
    isDown = by === at ? !isDown : Boolean(columns[at].isNumber);
    by = at;
    first = 0;
    order();
  }

  function order() {
    const sort = columns[by]?.sort;
    rows = all;
    if (sort) {
      const sign = isDown ? -1 : 1;
      const keyed = all.map((row, at) => ({ row, at, key: sort(row) }));
      keyed.sort((left, right) => compareCells(left.key, right.key, sign) || left.at - right.at);
      rows = keyed.map((item) => item.row);
    }
    heads.forEach((head, at) => {
      if (columns[at].sort) head.setAttribute("aria-sort", at !== by ? "none" : isDown ? "descending" : "ascending");
    });
    draw();
  }

  /** @param {number} step */
  function turn(step) {
    first = Math.max(0, Math.min(first + step, rows.length - 1));
    first -= first % page;
    draw();
  }

  function draw() {
    const shown = rows.slice(first, first + page).map((row) => {
      const line = html("tr", {}, ...columns.map((column) =>
        html(column.isHead ? "th" : "td", { scope: column.isHead ? "row" : null, class: column.isNumber ? "number" : null }, column.cell(row))));
      options.onRow?.(line, row);
      return line;
    });
    body.replaceChildren(...shown);
    pager.hidden = rows.length <= page;
    back.disabled = first === 0;
    next.disabled = first + page >= rows.length;
    place.textContent = `${formatCount(Math.min(first + 1, rows.length))}–${formatCount(first + shown.length)} of ${formatCount(rows.length)}`;
  }

  order();
  return {
    element: html("div", { class: "sorted" }, html("div", { class: "wide", tabindex: 0, role: "group", "aria-label": options.caption }, table), pager),
    body,
    /** @param {T[]} other */
    setRows(other) {
      all = other;
      first = 0;
      order();
    },
    /** Turns to the page with a row. @param {T} row */
    show(row) {
      const at = rows.indexOf(row);
      if (at < 0) return false;
      if (at < first || at >= first + page) {
        first = at - (at % page);
        draw();
      }
      return true;
    },
    /** The row so many places away, in the order shown. @param {T} row @param {number} step */
    neighbour(row, step) {
      const at = rows.indexOf(row);
      return at < 0 ? rows[0] : rows[at + step];
    },
    /** The first row, in the order shown, of which something holds; or just the first. @param {(row: T) => boolean} holds */
    first: (holds) => rows.find(holds) ?? rows[0],
    sortBy: (/** @type {number} */ at, /** @type {boolean} */ down) => {
      by = at;
      isDown = down;
      first = 0;
      order();
    },
    redraw: draw,
  };
}

/**
 * A small table of names and counts with a bar for each.
 * @param {string} caption
 * @param {[string, string]} titles
 * @param {[string, number][]} rows
 */
function barTable(caption, titles, rows) {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return sortedTable({
    caption,
    page: 15,
    rows,
    columns: [
      { title: titles[0], isHead: true, sort: ([name]) => name, cell: ([name]) => dataCode(name, 60) },
      { title: titles[1], isNumber: true, sort: ([, count]) => count, cell: ([, count]) => formatCount(count) },
      { title: "", cell: ([, count]) => shareBar(count / most) },
    ],
  }).element;
}

/**
 * A bar for a share of 1; the number stands beside it.
 * @param {number} share
 */
function shareBar(share) {
  const bar = html("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(Math.max(0, Math.min(1, share))));
  return bar;
}
