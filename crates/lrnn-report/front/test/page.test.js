// What a reader does with a report. LRNN_REPORT is one that the program made; without it one is made up.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { after, test } = require("node:test");
const { reportFile, openReport, closeBrowser } = require("./browser.js");

const file = reportFile("LRNN_REPORT", "train", 60);
after(closeBrowser);

/** Opens the report, acts, and sees that nothing went wrong on the way. */
async function visit(options, act) {
  const { page, problems, requests } = await openReport(file, options);
  await act(page);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests(), []);
  await page.close();
}

const rows = (page) => page.locator("#examples .list tbody tr");
const column = (page, title) => page.evaluate((title) => {
  const heads = [...document.querySelectorAll("#examples .list thead th")].map((head) => head.textContent);
  return [...document.querySelectorAll("#examples .list tbody tr")].map((row) => row.children[heads.indexOf(title)].textContent);
}, title);

test("opens quickly, from disk alone", () => visit({}, async (page) => {
  const ready = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  console.log(`a report of ${(fs.statSync(file).size / 1e6).toFixed(1)} MB was ready in ${ready.toFixed(0)} ms (the aim is 2000)`);
  assert.ok(ready < 5000, `ready after ${ready} ms`);
  assert.equal(await page.locator("h1").count(), 1);
  for (const id of ["results", "data", "template", "examples"]) assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  const contents = await page.locator("nav.contents a").count();
  assert.equal(contents, await page.locator("main > section").count());
}));

test("sorts by loss, and by a click and by a key", () => visit({}, async (page) => {
  const losses = (await column(page, "Loss")).map(Number).filter((loss) => !Number.isNaN(loss));
  assert.deepEqual(losses, [...losses].sort((left, right) => right - left));
  const head = page.locator("#examples .list th", { hasText: "Value" });
  await head.locator("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  await head.locator("button").press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  const values = (await column(page, "Value")).map(Number).filter((value) => !Number.isNaN(value));
  assert.deepEqual(values, [...values].sort((left, right) => left - right));
}));

test("searches and filters", () => visit({}, async (page) => {
  const all = await page.locator("#examples .count").textContent();
  const name = await rows(page).nth(1).locator("a").textContent();
  await page.locator("#examples input[type=search]").fill(name);
  await page.waitForFunction((all) => document.querySelector("#examples .count").textContent !== all, all);
  assert.ok((await column(page, "Example")).some((found) => found === name));
  await page.locator("#examples input[type=search]").fill("no such example");
  await page.waitForFunction(() => document.querySelectorAll("#examples .list tbody tr").length === 0);
  await page.locator("#examples input[type=search]").fill("");
  await page.waitForFunction((all) => document.querySelector("#examples .count").textContent === all, all);
  await page.getByLabel("Answer", { exact: true }).selectOption("wrong");
  assert.ok((await column(page, "Answer")).every((answer) => answer.includes("wrong")));
  await page.getByLabel("Answer", { exact: true }).selectOption("all");
  const part = await page.locator("#examples label", { hasText: "Part" }).locator("option").nth(1).textContent();
  await page.getByLabel("Part").selectOption(part);
  assert.ok((await column(page, "Part")).every((other) => other === part));
}));

/** Waits until an example is open: addresses are followed a moment after they change. */
const isOpen = (page, name) => page.waitForFunction((name) => document.querySelector("#examples .example h3")?.textContent === name, name);

test("opens an example by click, key and address", () => visit({}, async (page) => {
  const second = await rows(page).nth(1).locator("a").textContent();
  await rows(page).nth(1).locator("a").click();
  await isOpen(page, second);
  assert.equal(new URL(page.url()).hash, `#example=${encodeURIComponent(second)}`);
  await page.locator("#examples tr[aria-current] a").press("ArrowDown");
  await isOpen(page, await rows(page).nth(2).locator("a").textContent());
  assert.ok(await page.locator(".waterfall tbody tr").count() >= 3);
  await visit({ hash: `#example=${encodeURIComponent(second)}` }, async (other) => {
    await isOpen(other, second);
    await other.waitForFunction(() => scrollY > 100);
  });
}));

test("contributions add up", () => visit({}, async (page) => {
  const amounts = (await page.locator(".waterfall tbody td.number").allTextContents()).map((text) => Number(text.replace("−", "-").replace("+", "")));
  const value = amounts.pop();
  assert.ok(Math.abs(amounts.reduce((sum, amount) => sum + amount, 0) - value) < 2e-3, amounts.join(" "));
  const shown = await page.locator(".waterfall tbody th").first().textContent();
  await page.getByRole("button", { name: "By fact" }).click();
  assert.equal(await page.locator(".waterfall tbody th").first().textContent(), shown);
}));

test("unfolds, folds, moves and zooms the network by keys", () => visit({}, async (page) => {
  const network = page.locator(".chosen svg.network").first();
  const nodes = network.locator("g.node");
  const before = await nodes.count();
  assert.ok(before > 1 && before <= 60, `${before} nodes`);
  const inside = network.locator("g.node:has(.badge)").first();
  const id = await inside.getAttribute("data-node");
  const open = network.locator(`g.node[data-node="${id}"]`);
  for (let step = 0; step < 50 && (await open.getAttribute("aria-expanded")) === "false"; step++) await open.press("Enter");
  const unfolded = await nodes.count();
  assert.ok(unfolded >= before);
  await open.press("Enter");
  assert.ok(await nodes.count() < unfolded);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("data-node")), id);
  const view = () => network.getAttribute("viewBox").then((box) => box.split(" ").map(Number));
  const [x, , width] = await view();
  await network.press("ArrowRight");
  assert.ok((await view())[0] > x);
  await network.press("+");
  assert.ok((await view())[2] < width);
  await network.press("0");
  await network.press("-");
  const [, y] = await view();
  await network.press("ArrowDown");
  assert.ok((await view())[1] > y);
}));

test("moves the network by dragging, zooms it by the wheel once it is clicked", () => visit({}, async (page) => {
  const network = page.locator(".chosen svg.network").first();
  await network.scrollIntoViewIfNeeded();
  const view = () => network.getAttribute("viewBox").then((box) => box.split(" ").map(Number));
  const box = await network.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height - 8];
  await page.mouse.move(x, y);
  const before = await view();
  await page.mouse.wheel(0, 20);
  await page.waitForTimeout(200);
  assert.deepEqual(await view(), before, "the wheel scrolls the page until the network is clicked");
  await network.scrollIntoViewIfNeeded();
  await page.mouse.move(x, y - 20);
  await page.mouse.down();
  await page.mouse.move(x + 80, y - 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(([x, y]) => {
    const box = document.querySelector(".chosen svg.network").getAttribute("viewBox").split(" ").map(Number);
    return box[0] < x && box[1] > y;
  }, before);
  const moved = await view();
  await page.mouse.wheel(0, -200);
  await page.waitForFunction((width) => Number(document.querySelector(".chosen svg.network").getAttribute("viewBox").split(" ")[2]) < width, moved[2]);
}));

test("pages of a long list", () => visit({}, async (page) => {
  const first = await rows(page).first().textContent();
  const next = page.locator("#examples .list").getByRole("button", { name: "Next rows" });
  if (await next.isVisible()) {
    await next.click();
    assert.notEqual(await rows(page).first().textContent(), first);
    await page.locator("#examples .list").getByRole("button", { name: "Previous rows" }).click();
    assert.equal(await rows(page).first().textContent(), first);
  }
}));

test("light and dark", async () => {
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const seen = [];
  for (const colorScheme of ["light", "dark"]) {
    await visit({ colorScheme }, async (page) => {
      const before = await paper(page);
      seen.push(before);
      await page.locator("button.theme").click();
      assert.notEqual(await paper(page), before);
      await page.locator("button.theme").click();
      assert.equal(await paper(page), before);
    });
  }
  assert.notEqual(seen[0], seen[1]);
});

test("fits a narrow window", () => visit({ viewport: { width: 400, height: 800 } }, async (page) => {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
}));

test("prints what is folded, and no controls", () => visit({ colorScheme: "dark" }, async (page) => {
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.querySelectorAll("details[data-print]:not([open])").length === 0);
  assert.equal(await page.locator("button:visible:not(.sort)").count(), 0);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  const pdf = await page.pdf();
  assert.ok(pdf.length > 10000);
}));

test("has names for all that can be used", () => visit({}, async (page) => {
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, a, input, select, svg[role], [role=button]")].filter((element) =>
    !(element.getAttribute("aria-label") || element.textContent.trim() || element.closest("label")?.textContent.trim())).map((element) => element.outerHTML.slice(0, 120)));
  assert.deepEqual(unnamed, []);
  assert.equal(await page.locator("table:not(:has(caption))").count(), 0);
  assert.equal(await page.locator("th:not([scope])").count(), 0);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((element) => element.id));
  assert.equal(new Set(ids).size, ids.length);
}));
