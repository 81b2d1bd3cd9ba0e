// Elements. Every text goes into the page as text, never as markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  addChildren(element, children);
}

/**
 * @param {Element | DocumentFragment} element
 * @param {Child[]} children
 */
function addChildren(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * An element of HTML. Attributes that are functions listen to the event of that name.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
function html(tag, attributes, ...children) {
  const element = document.createElement(tag);
  fillElement(element, attributes, children);
  return element;
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, tag);
  fillElement(element, attributes, children);
  return element;
}

/**
 * A text of the data: kept apart from the direction of the text around it, shortened if it is long; the title has all of it.
 * @param {string} text
 * @param {number} [longest]
 */
function dataText(text, longest = 80) {
  const shown = visibleText(text);
  const short = shortText(shown, longest);
  return html("bdi", { title: short === shown ? null : shortText(shown, 4000) }, short);
}

/**
 * A text of the data as code.
 * @param {string} text
 * @param {number} [longest]
 */
function dataCode(text, longest = 160) {
  return html("code", {}, dataText(text, longest));
}

/**
 * Puts other children into an element.
 * @param {Element} element
 * @param {...Child} children
 */
function refill(element, ...children) {
  element.replaceChildren();
  addChildren(element, children);
}

/**
 * A part of the page that can be opened; what it holds is made when it is opened first.
 * @param {string} title
 * @param {() => Child[]} make
 * @param {Attributes} [attributes]
 */
function unfolding(title, make, attributes = {}) {
  const details = html("details", attributes, html("summary", {}, title));
  let made = false;
  const fill = () => {
    if (made) return;
    made = true;
    addChildren(details, make());
  };
  details.addEventListener("toggle", () => details.open && fill());
  details.addEventListener("fill", fill);
  if (details.open) fill();
  return details;
}

/**
 * A button with a name.
 * @param {string} text
 * @param {string} about
 * @param {() => void} click
 */
function button(text, about, click) {
  return html("button", { type: "button", title: about, "aria-label": about, click }, text);
}

/**
 * A figure with a caption.
 * @param {Child} picture
 * @param {...Child} caption
 */
function figure(picture, ...caption) {
  return html("figure", {}, picture, html("figcaption", {}, ...caption));
}
