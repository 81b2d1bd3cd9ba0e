// Names that would be markup, script or a turn of direction change nothing but texts. LRNN_REPORT_HOSTILE and LRNN_REPORT_PLAIN are two reports
// that differ in names alone.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { after, test } = require("node:test");
const { assemble } = require("./assemble.js");
const { reportFile, openReport, closeBrowser } = require("./browser.js");
const { sample } = require("./sample.js");

after(closeBrowser);

async function structure(file) {
  const { page, problems, requests } = await openReport(file);
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  await page.waitForTimeout(300);
  const found = await page.evaluate(() => {
    const counts = {};
    for (const element of document.querySelectorAll("*")) counts[element.tagName] = (counts[element.tagName] ?? 0) + 1;
    return { counts, ran: window.__ran ?? null, handlers: document.querySelectorAll("[onerror], [onload], [onclick], iframe, object, embed, img").length };
  });
  for (const link of await page.locator("#examples .list tbody a").all()) await link.click();
  assert.equal(await page.evaluate(() => window.__ran ?? null), null);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "no text is wider than the page");
  assert.deepEqual(problems, []);
  assert.deepEqual(requests(), []);
  await page.close();
  return found;
}

/** Two pages of one structure; models that learned with other names may differ a little, and then only the kinds of elements are equal. */
async function checkPair(plainFile, hostileFile, isOneModel) {
  const plain = await structure(plainFile);
  const hostile = await structure(hostileFile);
  assert.equal(hostile.ran, null);
  assert.equal(hostile.handlers, 0);
  if (isOneModel) assert.deepEqual(hostile.counts, plain.counts);
  else assert.deepEqual(Object.keys(hostile.counts).sort(), Object.keys(plain.counts).sort());
}

test("hostile names are texts", () => checkPair(reportFile("", "train", 20), reportFile("", "hostile", 20), true));

test("hostile names in reports of the program are texts", { skip: !process.env.LRNN_REPORT_HOSTILE }, () =>
  checkPair(reportFile("LRNN_REPORT_PLAIN"), reportFile("LRNN_REPORT_HOSTILE"), false));

test("reports with parts missing are shown", async () => {
  const whole = sample("train", 3);
  const missing = [
    { ...whole, parts: [], curves: [], settings: [], notes: [], concepts: [], patterns: [], alike: null, templates: [], examples: [], model: "" },
    { ...whole, examples: [{ name: "", part: "", answers: [], picture: null, facts: 0, text: "" }, { name: "same", part: "", answers: [{ atom: "a", target: null, value: null, is_wrong: null, loss: null, explanation: null }], picture: { nodes: [], edges: [] }, facts: 0, text: "" }, { ...whole.examples[0], name: "same" }] },
    { ...whole, parts: [{ name: "test", answers: 0, metrics: [["accuracy", null]], confusion: { labels: [], counts: [] }, roc: { false_positive: [], true_positive: [] }, calibration: [] }], curves: [{ name: "", kept: true, epochs: [], training_loss: [], training_error: [], validation_loss: [], validation_error: [] }] },
    sample("crossval", 12), sample("answers", 5000), sample("answers", 0),
  ];
  for (const report of missing) {
    const file = reportFile("", "train", 1);
    fs.writeFileSync(file, assemble(report));
    const { page, problems } = await openReport(file);
    for (const link of (await page.locator("#examples .list tbody a").all()).slice(0, 3)) await link.click();
    assert.deepEqual(problems, []);
    assert.equal(await page.locator("main > section .note", { hasText: "could not be drawn" }).count(), 0);
    await page.close();
  }
});
