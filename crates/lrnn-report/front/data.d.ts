// What a report shows. The page holds it as JSON in `<script type="application/json" id="report">`; `page.rs` writes it.
// Texts are as the data has them, hostile or not: they go into the page as text, never as markup.

interface ReportData {
  /** The name of the data or of the run. */
  title: string;
  kind: "train" | "crossval";
  /** `lrnn 0.1.0`. */
  program: string;
  /** The command that makes this report again. */
  command: string;
  data: DataSummary;
  templates: TemplateView[];
  /** Settings of learning, name and value, in the order of the table of settings. */
  settings: [string, string][];
  /** What a reader must know: weights that were not learned, queries left out, examples that are not explained. */
  notes: string[];
  /** A curve for each restart; empty for a cross-validation. */
  curves: Curve[];
  /** Training, validation and test; or "out of fold" for a cross-validation. */
  parts: Part[];
  crossval: Crossval | null;
  /** Which model stands behind concepts, patterns and explanations, in a sentence. */
  model: string;
  concepts: Concept[];
  patterns: Pattern[];
  alike: Alike | null;
  examples: Example[];
  /** Texts that occur often; `TextNumber` is a number of this list. */
  texts: string[];
}

/** A number of `ReportData.texts`. */
type TextNumber = number;

interface DataSummary {
  examples: number;
  queries: number;
  facts: number;
  constants: number;
  /** Predicates with `name/arity`, and how many facts they have. */
  predicates: [string, number][];
  /** Targets and how many queries have each, the most frequent first; at most 20. */
  targets: [string, number][];
}

interface TemplateView {
  name: string;
  /** The text, cut into pieces; all pieces together are the text. */
  tokens: [TokenKind, string][];
  /** The lifted template as the paper draws it. */
  network: Network;
}

type TokenKind = "space" | "comment" | "name" | "variable" | "number" | "string" | "symbol" | "weight" | "setting";

interface Curve {
  name: string;
  /** Whether the model comes from this restart. */
  kept: boolean;
  epochs: number[];
  training_loss: (number | null)[];
  training_error: (number | null)[];
  validation_loss: (number | null)[];
  validation_error: (number | null)[];
}

interface Part {
  name: string;
  answers: number;
  /** Metrics by name, those of `lrnn test`. */
  metrics: [string, number | null][];
  confusion: { labels: string[]; /** Rows are targets, columns answers. */ counts: number[][] } | null;
  /** From (0, 0) to (1, 1), for two classes. */
  roc: { false_positive: number[]; true_positive: number[] } | null;
  calibration: Bin[] | null;
}

interface Bin {
  low: number;
  high: number;
  count: number;
  /** The mean value of the answers in it. */
  mean: number;
  /** The share of them whose target is true. */
  share: number;
}

interface Crossval {
  /** A line for people: `accuracy 87.3 ± 9.7 %: mean and deviation over 10 folds`, and more. */
  summary: string[];
  rows: FoldRow[];
  /** Means and deviations, of the template and of baselines: name, mean, deviation, in shares of 1. */
  methods: [string, number, number][];
}

interface FoldRow {
  seed: number;
  fold: number;
  examples: number;
  chosen: string;
  /** Shares of 1. */
  inner_error: number | null;
  accuracy: number;
  auc: number | null;
}

/** A predicate with the weights of the rules that define it. */
interface Concept {
  /** The model it belongs to, `fold 3`; empty if there is one. */
  model: string;
  title: string;
  rows: string[];
  columns: string[];
  /** By row and column; null where there is no weight. */
  values: (number | null)[][];
  /** The columns that are wild cards. */
  wild: number[];
}

interface Pattern {
  /** `c-c-f`, or its facts. */
  text: string;
  facts: string;
  rule: string;
  head: string;
  output: number;
  times: number;
  /** In how many examples. */
  support: number;
  /** Class, how many of the examples have it, lift. */
  classes: [string, number, number][];
  /** Some of the examples, by number. */
  examples: number[];
  picture: Graph | null;
}

/** Constants as nodes, a relation as edges; places are in a plane, a bond about 1 long. */
interface Graph {
  nodes: { text: string; label: string; x: number; y: number; amount: number | null }[];
  edges: { from: number; to: number; label: string; amount: number | null }[];
}

/** A contribution: of an atom, or of a bond, which has two ends. */
interface Halo {
  at: [number, number][];
  amount: number | null;
  marked: boolean;
  name: string;
}

/** A molecule as strokes, letters and halos, in lengths of a bond. */
interface SkeletalFormula {
  size: [number, number];
  atoms: Halo[];
  bonds: Halo[];
  strokes: { from: [number, number]; to: [number, number]; dashed: boolean }[];
  letters: { at: [number, number]; anchor: string; text: string; small: boolean; element: string }[];
}

interface Alike {
  /** Groups of answers that one neuron gives, whatever the weights, whose targets differ. */
  groups: { examples: number[]; targets: string[] }[];
  least_wrong: number;
  /** The accuracy no weights can exceed. */
  most_accuracy: number;
}

interface Example {
  name: string;
  /** Training, validation, test; or the fold. */
  part: string;
  answers: Answer[];
  picture: Graph | null;
  /** The example as a skeletal formula, if it is a molecule. */
  molecule: SkeletalFormula | null;
  facts: number;
  /** The facts as they were written, shortened if there are very many. */
  text: string;
}

interface Answer {
  atom: string;
  target: number[] | null;
  /** null if the atom is not in the model. */
  value: number[] | null;
  /** null if there is no target. */
  is_wrong: boolean | null;
  /** The loss; what "sort by error" sorts by. */
  loss: number | null;
  explanation: Explanation | null;
}

interface Explanation {
  value: number;
  /** What the model says without the example's facts. */
  baseline: number;
  sum: number;
  residual: number;
  /** The constants that contribute most; how many others there are, and what they bring together. */
  constants: [TextNumber, number][];
  constants_rest: [number, number];
  /** The facts that contribute most, mirror images together, and the rest. */
  facts: [TextNumber, number][];
  facts_rest: [number, number];
  /** Fact, the value without it. */
  changes: [TextNumber, number][];
  /** How many orders of removal the contributions are means of. */
  orders: number;
  tree: Tree;
  network: Network;
}

interface Tree {
  kind: "atom" | "fact" | "rule" | "aggregation" | "rest";
  text: TextNumber;
  value: number | null;
  weight: number[];
  note: TextNumber;
  below: Tree[];
}

/** Neurons in layers, edges with weights. The page shows some at first, and unfolds the rest. */
interface Network {
  /** By layer; what enters a node has a smaller layer. */
  nodes: NetworkNode[];
  /** Those that enter one node stand in the order of how much they count. */
  edges: NetworkEdge[];
  titles: string[];
  /** How many neurons are not in the report. */
  left_out: number;
}

interface NetworkNode {
  kind: "fact" | "atom" | "rule" | "aggregation" | "literal" | "folded";
  text: TextNumber;
  about: TextNumber;
  value: number | null;
  layer: number;
  /** Nodes of one predicate have one colour. */
  predicate: number;
}

interface NetworkEdge {
  from: number;
  to: number;
  weight: number[];
  /** The name of the weight, or what must be equal in a template. */
  name: TextNumber;
  /** Soft negation; not there if it is none. */
  negated?: boolean;
}
