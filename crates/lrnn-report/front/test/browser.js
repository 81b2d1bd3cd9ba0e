// Opens reports in Chromium and watches them.
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");
const { assemble } = require("./assemble.js");
const { sample } = require("./sample.js");

const CHROMIUM = [process.env.LRNN_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) => file && fs.existsSync(file));

/** A report that the program made, whose path is in an environment variable; or, without one, one that is made up here. */
function reportFile(variable, kind, count) {
  if (variable && process.env[variable]) return path.resolve(process.env[variable]);
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "lrnn-front-")), `${kind}.html`);
  fs.writeFileSync(file, assemble(sample(kind, count)));
  return file;
}

let browser = null;

/** A page with a report; `problems` has what went wrong in it and `requests` what it asked for. */
async function openReport(file, { hash = "", ...options } = {}) {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const [problems, requests] = [[], []];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => (problems.push("a dialog"), dialog.dismiss()));
  const url = pathToFileURL(file).href;
  await page.goto(url + hash);
  return { page, problems, requests: () => requests.filter((other) => !other.startsWith(url) && !other.startsWith("data:")) };
}

async function closeBrowser() {
  await browser?.close();
}

module.exports = { reportFile, openReport, closeBrowser };
