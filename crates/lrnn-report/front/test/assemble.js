// Fills shell.html as the program does: node test/assemble.js DATA.json PAGE.html
const fs = require("node:fs");
const path = require("node:path");

/** The page of a report. */
function assemble(report) {
  const front = path.join(__dirname, "..");
  const read = (name) => fs.readFileSync(path.join(front, name), "utf8");
  const scripts = fs.readdirSync(path.join(front, "src")).filter((name) => name.endsWith(".js") && name !== "main.js").sort();
  const fill = {
    title: report.title.replace(/&/g, "&amp;").replace(/</g, "&lt;"),
    style: read("style.css"),
    data: JSON.stringify(report).replace(/</g, "\\u003c"),
    script: [...scripts, "main.js"].map((name) => read(`src/${name}`)).join("\n"),
  };
  return read("shell.html").replace(/\{\{(title|style|data|script)\}\}/g, (_, name) => fill[name]);
}

module.exports = { assemble };
if (require.main === module) fs.writeFileSync(process.argv[3], assemble(JSON.parse(fs.readFileSync(process.argv[2], "utf8"))));
