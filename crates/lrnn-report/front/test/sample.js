// A made-up report in the shape of data.d.ts, for work on the page: node test/sample.js [KIND] [EXAMPLES] > DATA.json
// KIND is train, crossval, hostile or answers (one example with many answers).

let seed = 7;
function random() {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed / 2147483648;
}
const pick = (list) => list[Math.floor(random() * list.length)];

const texts = [""];
const textNumbers = new Map([["", 0]]);
function text(it) {
  if (!textNumbers.has(it)) textNumbers.set(it, texts.push(it) - 1);
  return textNumbers.get(it);
}

const HOSTILE = [
  "<script>window.__ran = 1</script>", "\"><img src=x onerror=\"window.__ran=1\">", "'); window.__ran = 1; ('", "\u202eright to left\u202c", "tab\tnew\nline\u0000\u0007",
  "{{script}}", "</script><script>window.__ran=1</script>", "long ".repeat(2000), "מולקולה", "<!--", "]]>", "&lt;b&gt;", "__proto__", "constructor", "%E0%A4%A", "&answer=2#x=1",
];
let isHostile = false;
let named = 0;
/** A name of the data: the same number of names in the harmless and in the hostile report. */
function name(plain) {
  named += 1;
  return isHostile ? `${HOSTILE[named % HOSTILE.length]}${named}` : plain;
}

function molecule(id) {
  const [nodes, edges] = [[], []];
  const add = (element, x, y) => nodes.push({ text: name(`${id}_${nodes.length + 1}`), label: element, x, y, amount: (random() - 0.45) * 0.1 }) - 1;
  const join = (from, to, label) => edges.push({ from, to, label, amount: random() < 0.7 ? (random() - 0.5) * 0.08 : null });
  const rings = 1 + Math.floor(random() * 3);
  let shared = null;
  for (let ring = 0; ring < rings; ring++) {
    const corners = Array.from({ length: 6 }, (_, at) => [Math.cos(Math.PI / 6 + (at * Math.PI) / 3) + ring * Math.sqrt(3), Math.sin(Math.PI / 6 + (at * Math.PI) / 3)]);
    const made = corners.map(([x, y], at) => (shared && at === 2 ? shared[0] : shared && at === 3 ? shared[1] : add("c", x, y)));
    made.forEach((node, at) => !(shared && at === 2) && join(node, made[(at + 1) % 6], "b_7"));
    made.forEach((node, at) => {
      if (at === 1 || at === 4) {
        const [cx, cy] = corners[at];
        const outer = add(random() < 0.25 ? "n" : "h", cx + (cx - ring * Math.sqrt(3)), cy * 2);
        join(node, outer, "b_1");
        if (nodes[outer].label === "n") for (const side of [-0.9, 0.9]) join(outer, add("o", nodes[outer].x + side, nodes[outer].y + Math.sign(cy) * 0.5), "b_2");
      }
    });
    shared = [made[0], made[5]];
  }
  return { nodes, edges };
}

function network(id, graph) {
  const [nodes, edges] = [[], []];
  const add = (kind, it, layer, predicate, value = random()) => nodes.push({ kind, text: text(it), about: text(`${kind} neuron ${it}`), value, layer, predicate }) - 1;
  const link = (from, to, weight, label = "") => edges.push({ from, to, weight, name: text(label), negated: false });
  const root = add("atom", "mutagenic", 6, 0, 0.9);
  for (let chain = 0; chain < 30; chain++) {
    const groups = [1, 2, 3, 4, 5].map(() => 1 + Math.floor(random() * 3)).join(", ");
    const weigh = add("aggregation", "max", 5, 1);
    link(weigh, root, [(random() - 0.4) * 4], `c[${groups}]`);
    const atom = add("atom", `chain(${groups})`, 4, 2);
    link(atom, weigh, [1]);
    for (let way = 0; way < 3; way++) {
      const rule = add("rule", `chain(${groups}) :- in(${id}_${way}), bond, kind, in, bond, kind, in`, 3, 2);
      link(rule, atom, [1]);
      for (let part = 0; part < 3; part++) {
        const node = pick(graph.nodes);
        const inside = add("atom", `in(${node.text}, ${part + 1})`, 2, 3);
        link(inside, rule, [1]);
        link(add("fact", `element(${node.text}, ${node.label})`, 0, 4, 1), inside, [random() * 3 - 1], `w[${node.label}, ${part + 1}]`);
      }
      link(add("folded", "4 more", 1, 2, null), rule, [1]);
    }
  }
  return { nodes, edges, titles: ["facts", "", "groups", "rules", "chains", "max", "query"], left_out: 23456 };
}

function explanation(id, graph, value) {
  const facts = graph.nodes.map((node) => [text(`element(${node.text}, ${node.label})`), node.amount / 2]).sort((left, right) => Math.abs(right[1]) - Math.abs(left[1])).slice(0, 20);
  const constants = graph.nodes.slice(0, 12).map((node) => [text(node.text), node.amount]);
  const sum = value - 0.55;
  const branch = (depth) => ({
    kind: ["fact", "rule", "atom", "aggregation"][depth % 4], text: text(depth === 0 ? "element(d1, c)" : `chain(${depth}, 2, 3) :- in(X, 1), bond(X, Y, B)`), value: random(),
    weight: depth % 2 ? [random()] : [], note: text(depth % 4 === 3 ? "the largest of 240" : ""), below: depth === 0 ? [] : [branch(depth - 1), ...(depth > 2 ? [branch(depth - 2)] : [])],
  });
  return {
    value, baseline: 0.55, sum, residual: 1e-14, facts, facts_rest: [45, sum - facts.reduce((all, [, amount]) => all + amount, 0)],
    constants, constants_rest: [graph.nodes.length - constants.length, sum - constants.reduce((all, [, amount]) => all + amount, 0)], orders: 32,
    changes: facts.slice(0, 8).map(([fact, amount]) => [fact, value - amount]), tree: branch(7), network: network(id, graph),
  };
}

function example(number, kind) {
  const id = name(`d${number}`);
  const graph = molecule(id);
  const target = random() < 0.66 ? 1 : 0;
  const value = Math.max(0.01, Math.min(0.99, target * 0.5 + 0.25 + (random() - 0.5) * 0.7));
  const answer = { atom: "mutagenic", target: [target], value: [value], is_wrong: value > 0.5 !== target > 0.5, loss: -Math.log(target ? value : 1 - value), explanation: explanation(id, graph, value) };
  return {
    name: id, part: kind === "crossval" ? `fold ${1 + (number % 10)}` : number % 5 === 0 ? "test" : "training", answers: [answer], picture: graph, facts: 120,
    text: graph.nodes.map((node) => `element(${node.text}, ${node.label})`).join(", ") + ".",
  };
}

function part(title, answers) {
  const roc = { false_positive: [0], true_positive: [0] };
  for (let at = 1; at < 40; at++) {
    roc.false_positive.push(at / 40);
    roc.true_positive.push(Math.min(1, (at / 40) ** 0.3));
  }
  roc.false_positive.push(1);
  roc.true_positive.push(1);
  const calibration = Array.from({ length: 10 }, (_, at) => ({ low: at / 10, high: (at + 1) / 10, count: Math.floor(random() * answers * 0.2), mean: at / 10 + 0.05, share: Math.min(1, Math.max(0, at / 10 + 0.05 + (random() - 0.5) * 0.2)) }));
  return {
    name: title, answers, metrics: [["loss", 0.34], ["accuracy", 0.868], ["balanced-accuracy", 0.84], ["auc", 0.91], ["f1", 0.89], ["log-loss", 0.37], ["brier", 0.11]],
    confusion: { labels: ["0", "1"], counts: [[Math.round(answers * 0.28), Math.round(answers * 0.06)], [Math.round(answers * 0.07), Math.round(answers * 0.59)]] }, roc, calibration,
  };
}

function curve(at) {
  const epochs = Array.from({ length: 150 }, (_, epoch) => epoch + 1);
  const fall = (from, to) => epochs.map((epoch) => to + (from - to) * Math.exp(-epoch / (20 + at * 6)) + random() * 0.01);
  return { name: `restart ${at + 1}`, kept: at === 2, epochs, training_loss: fall(0.7, 0.25 + at * 0.02), training_error: fall(0.4, 0.08), validation_loss: fall(0.7, 0.4 + at * 0.02), validation_error: fall(0.4, 0.15) };
}

function sample(kind, count) {
  isHostile = kind === "hostile";
  const examples = kind === "answers"
    ? [{ name: "kb", part: "test", picture: null, facts: 9000, text: "knows(a, b).", answers: Array.from({ length: count }, (_, at) => ({ atom: `knows(person${at}, person${(at * 7) % 100})`, target: [at % 2], value: [random()], is_wrong: random() < 0.2, loss: random(), explanation: null })) }]
    : Array.from({ length: count }, (_, at) => example(at + 1, kind));
  const line = (it) => it.split(/(\s+|[A-Z]\w*|\d+|[(),.]|::|:-)/).filter((piece) => piece).map((piece) => [/^\s/.test(piece) ? "space" : /^[A-Z]/.test(piece) ? "variable" : /^\d/.test(piece) ? "number" : /^[(),.:]/.test(piece) ? "symbol" : "name", piece]);
  const lifted = ["element(A, T)", "in(A, G)", "chain(G1, G2)", "mutagenic"].map((it, layer) => ({ kind: layer ? "literal" : "fact", text: text(it), about: text(it), value: null, layer, predicate: layer }));
  const rows = Array.from({ length: 10 }, (_, fold) => ({ seed: 1, fold: fold + 1, examples: 19, chosen: "rate 0.05, restarts 3", inner_error: 0.12 + random() * 0.06, accuracy: 0.8 + random() * 0.15, auc: 0.85 + random() * 0.1 }));
  const elements = ["br", "c", "cl", "f", "h", "i", "n", "o"];
  return {
    title: name("mutagenesis"), kind: kind === "crossval" ? "crossval" : "train", program: "lrnn 0.1.0", command: `lrnn report runs/${name("mutagenesis")}`,
    data: { examples: examples.length, queries: examples.length, facts: 21186, constants: 9876, predicates: [[name("bond/3"), 10486], ["element/2", 4893], ["bond_type/2", 5243]], targets: [["1", 125], ["0", 63]] },
    templates: [{ name: name("template.lrnn"), tokens: [["comment", "% A template."], ["space", "\n"], ["weight", "w[T, G]"], ...line(" :: in(A, G) :- element(A, T).\n0.5 :: mutagenic :- chain(G1, G2)."), ["string", name("'a name'")]], network: { nodes: lifted, edges: [0, 1, 2].map((from) => ({ from, to: from + 1, weight: [], name: text("w"), negated: false })), titles: ["", "", "", ""], left_out: 0 } }],
    settings: [["epochs", "150"], ["rate", "0.05"], ["optimizer", "adam"], ["restarts", "5"], ["seed", "1"]],
    notes: ["2 queries are not in the model, and count as 0."], curves: kind === "crossval" ? [] : [0, 1, 2, 3, 4].map(curve),
    parts: kind === "crossval" ? [part("out of fold", 188)] : [part("training", 150), part("test", 38)],
    crossval: kind === "crossval" ? { summary: ["accuracy 87.3 ± 9.7 %: mean and deviation over 10 folds"], rows, methods: [["template", 0.873, 0.097], ["random forest", 0.86, 0.08], ["majority", 0.665, 0.03]] } : null,
    model: "Concepts, patterns and explanations are of the model that restart 3 learned.",
    concepts: [
      { model: "", title: name("in/2"), rows: elements, columns: ["1", "2", "3"], values: elements.map((_, at) => [random() * 4 - 2, at % 3 ? random() : null, 0.5 + random() * 0.05]), wild: [2] },
      { model: "", title: "kind/2", rows: ["b_1", "b_2", "b_7"], columns: ["1", "2", "3"], values: [[1, 0, -1], [0.5, 0.2, 0.1], [-2, 2, 0]], wild: [] },
    ],
    patterns: Array.from({ length: 20 }, (_, at) => ({ text: name(`c-c-${elements[at % 8]}`), facts: "element(A, c), bond(A, B, C), element(B, c)", rule: "chain(G1, H1, G2, H2, G3) :- ...", head: "chain(1, 2, 3, 1, 1)", output: 0.9 - at * 0.03, times: 500 - at * 9, support: 100 - at * 4, classes: [["1", 50, 0.5 + random()], ["0", 40, 0.5 + random()]], examples: [0, 1, 2].filter((it) => it < count), picture: { nodes: ["c", "c", elements[at % 8]].map((label, x) => ({ text: "", label, x, y: 0, amount: null })), edges: [[0, 1], [1, 2]].map(([from, to]) => ({ from, to, label: "", amount: null })) } })),
    alike: count > 2 && kind !== "answers" ? { groups: [{ examples: [0, 1], targets: ["1", "0"] }], least_wrong: 1, most_accuracy: 0.995 } : null,
    examples, texts,
  };
}

module.exports = { sample };
if (require.main === module) process.stdout.write(JSON.stringify(sample(process.argv[2] ?? "train", Number(process.argv[3] ?? 40))));
