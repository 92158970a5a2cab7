// The rule of verdicts and the numbers that follow a ROPE of the reader's.

// The papers' rule, borders inclusive; the same as `outperform.decide`, on the same table of cases.
function decide(hdi, rope, midError, greaterIsBetter) {
  if (!greaterIsBetter) {
    hdi = [-hdi[1], -hdi[0]];
    rope = [-rope[1], -rope[0]];
  }
  if (rope[0] <= hdi[0] && hdi[1] <= rope[1]) return "equivalent";
  if (hdi[1] <= rope[0]) return "worse";
  if (hdi[0] >= rope[1]) return "better";
  const apart = (hdi[0] + hdi[1]) / 2 - (rope[0] + rope[1]) / 2;
  if (Math.abs(apart) <= 2 * midError) return "undecided";
  return apart > 0 ? "slightly_better" : "slightly_worse";
}

// What holds beyond the rule: too few units tell nothing, shrinkage makes no two systems equivalent, exchangeable
// classifiers have no sides.
function outcome(row, mass, rope) {
  if (row.few.includes(mass)) return "undecided";
  const [low, high, midError] = row.hdi[mass];
  const name = decide([low, high], rope, midError, row.greater);
  if (name === "equivalent" && row.alone && decide(row.alone[mass], rope, 0, row.greater) !== name) return "undecided";
  if (row.exchangeable && name !== "equivalent") return "undecided";
  return name.startsWith("slightly") && !leans(row, name, rope) ? "undecided" : name;
}

// Whether most of the posterior lies on the side of the ROPE's middle that the HDI leans to.
function leans(row, name, rope) {
  const above = below(row.drawn, (rope[0] + rope[1]) / 2) < 0.5;
  return above === ((name === "slightly_better") === row.greater);
}

// Quantiles come as 16-bit steps between the least and the largest.
function unpack(row) {
  const bytes = Uint8Array.from(atob(row.quantiles), (character) => character.charCodeAt(0));
  const [least, most] = row.range;
  const at = (k) => least + ((bytes[2 * k] + 256 * bytes[2 * k + 1]) / 65535) * (most - least);
  return Array.from({ length: bytes.length / 2 }, (_, k) => at(k));
}

// The share of the posterior below a value, straight between quantiles, which are closer to each other in the tails.
function below(quantiles, value) {
  const last = quantiles.length - 1;
  if (value <= quantiles[0]) return 0;
  if (value >= quantiles[last]) return 1;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (quantiles[middle] <= value) low = middle;
    else high = middle;
  }
  const level = (k) => (1 - Math.cos((Math.PI * k) / last)) / 2;
  const step = quantiles[high] - quantiles[low];
  return level(low) + (step > 0 ? (value - quantiles[low]) / step : 0) * (level(high) - level(low));
}

const within = (quantiles, rope) => below(quantiles, rope[1]) - below(quantiles, rope[0]);

function signed(value, digits) {
  const written = Math.abs(value).toFixed(digits);
  return (value <= -1e-12 ? "-" : "+") + written;
}

function percent(share) {
  if (share < 0.0005) return "<0.1%";
  if (share >= 0.9995) return ">99.9%";
  return (100 * share).toFixed(1) + "%";
}

// The probability of an event; what is written as a bound is one, P(within it) < 0.1%.
const chance = (event, share) => `P(${event}) = ${percent(share)}`.replace(/= ([<>])/, "$1 ");

const interval = (ends, digits) => `[${signed(ends[0], digits)}, ${signed(ends[1], digits)}]`;

const margin = (rope, digits) => (rope[0] === -rope[1] ? `±${Number(rope[1].toPrecision(6))}` : interval(rope, digits));

// Words with names in them, each name isolated, so that one written right to left leaves the rest alone.
function worded(template, names) {
  return template.split(/(\{[ab]\})/).map((part) => {
    if (part !== "{a}" && part !== "{b}") return part;
    const name = document.createElement("bdi");
    name.textContent = names[part[1]];
    return name;
  });
}

