// The page: reads the data, makes the sections, theme and print.

/** A switch between light and dark; the browser's own choice until it is used. */
function themeSwitch() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = "";
  try {
    theme = localStorage.getItem("lrnn-theme") ?? "";
  } catch {
    // A page from disk may not store anything; then the choice lasts as long as the page.
  }
  const isDark = () => (theme ? theme === "dark" : dark.matches);
  const control = html("button", { type: "button", class: "theme", click: () => {
    theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("lrnn-theme", theme);
    } catch {
      // As above.
    }
    apply();
  } });
  const apply = () => {
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
    control.textContent = isDark() ? "Light" : "Dark";
    control.title = `Show the page ${isDark() ? "light" : "dark"}`;
    control.setAttribute("aria-label", control.title);
  };
  dark.addEventListener("change", apply);
  apply();
  return control;
}

/** Opens on paper what is folded on the screen. */
function openForPrint() {
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  const open = () => {
    for (const details of document.querySelectorAll("details[data-print]:not([open])")) {
      if (!(details instanceof HTMLDetailsElement)) continue;
      details.open = true;
      opened.push(details);
    }
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
  };
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
  matchMedia("print").addEventListener("change", (event) => (event.matches ? open() : close()));
}

/**
 * Marks in the list of contents where the reader is.
 * @param {HTMLElement} contents
 * @param {HTMLElement[]} sections
 */
function followReader(contents, sections) {
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) seen.add(entry.target);
      else seen.delete(entry.target);
    }
    const current = sections.find((part) => seen.has(part));
    for (const link of contents.querySelectorAll("a")) {
      if (current && link.getAttribute("href") === `#${current.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-15% 0px -60% 0px" });
  for (const part of sections) observer.observe(part);
}

function showReport() {
  /** @type {ReportData} */
  const report = JSON.parse(document.getElementById("report")?.textContent ?? "{}");
  const makers = [resultsSection, crossvalSection, learningSection, dataSection, templateSection, conceptsSection, patternsSection, examplesSection];
  const sections = makers.flatMap((make) => {
    try {
      return make(report) ?? [];
    } catch (error) {
      console.error(error);
      return html("section", {}, html("p", { class: "note" }, `A section could not be drawn: ${error}`));
    }
  });
  const contents = html("nav", { class: "contents", "aria-label": "Contents" }, themeSwitch(),
    html("ul", {}, ...sections.filter((part) => part.id).map((part) => html("li", {}, html("a", { href: `#${part.id}` }, part.querySelector("h2")?.textContent ?? "")))));
  document.body.append(html("a", { class: "skip", href: "#main" }, "Skip to the report"), contents,
    html("main", { id: "main", tabindex: -1 }, pageHeader(report), ...sections), pageFooter(report));
  followReader(contents, sections);
  openForPrint();
  const asked = /^#[a-z]+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
  asked?.scrollIntoView();
}

showReport();
