// Numbers and texts as people read them.

/**
 * A number with at most so many digits that count.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
function formatNumber(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value).replace("-", "−");
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return formatCount(value);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e9) return value.toExponential(Math.max(0, digits - 2)).replace(/-/g, "−");
  const places = Math.min(12, Math.max(0, digits - Math.max(1, Math.ceil(Math.log10(size)))));
  return value.toFixed(places).replace("-", "−");
}

/**
 * A number with so many places behind the point, so that a column of them lines up.
 * @param {number | null | undefined} value
 * @param {number} [places]
 */
function formatFixed(value, places = 3) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value) || Math.abs(value) >= 1e7) return formatNumber(value);
  const text = value.toFixed(places);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/**
 * A number with its sign.
 * @param {number | null | undefined} value
 * @param {number} [places]
 */
function formatSigned(value, places = 4) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) < 1e-9) return formatFixed(0, places);
  const small = Math.abs(value) < 0.5 * 10 ** -places;
  const text = small ? formatNumber(value, 2) : formatFixed(value, places);
  return value > 0 ? `+${text}` : text;
}

/**
 * A whole number, by thousands.
 * @param {number} value
 */
function formatCount(value) {
  return String(value).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/**
 * `1 example`, `3 examples`.
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
function formatAmount(count, one, many) {
  return `${formatCount(count)} ${count === 1 ? one : (many ?? one + "s")}`;
}

/**
 * A share of 1 in percent.
 * @param {number | null | undefined} share
 */
function formatPercent(share) {
  return share === null || share === undefined ? "–" : `${(share * 100).toFixed(1).replace("-", "−")} %`;
}

/**
 * A value, which may be a vector.
 * @param {number[] | null | undefined} values
 */
function formatValue(values) {
  if (!values || values.length === 0) return "–";
  if (values.length === 1) return formatNumber(values[0]);
  const shown = values.slice(0, 6).map((value) => formatNumber(value, 3));
  return `[${shown.join(", ")}${values.length > 6 ? `, … ${values.length} numbers` : ""}]`;
}

/**
 * Makes visible what a text would hide: control characters and those that turn the direction of writing.
 * @param {string | null | undefined} text
 */
function visibleText(text) {
  return String(text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (letter) => {
    const code = letter.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    if (code === 127) return "\u2421";
    return `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/**
 * At most so many letters.
 * @param {string} text
 * @param {number} longest
 */
function shortText(text, longest) {
  if (text.length <= longest) return text;
  return `${Array.from(text.slice(0, longest)).slice(0, -1).join("")}…`;
}

/**
 * `balanced-accuracy` as a heading.
 * @param {string} name
 */
function metricTitle(name) {
  /** @type {Record<string, string>} */
  const titles = {
    auc: "AUC", f1: "F1", "log-loss": "Log loss", brier: "Brier score", mse: "Squared error",
    mae: "Absolute error", r2: "R²", mrr: "Mean reciprocal rank",
  };
  const plain = visibleText(name);
  return titles[plain] ?? plain.charAt(0).toUpperCase() + plain.slice(1).replace(/-/g, " ");
}
