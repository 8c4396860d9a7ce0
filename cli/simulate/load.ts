/** A cell of the column of loads. */
interface Cell {
  line: number;
  text: string;
}

/** The loads of a column. */
interface Loads {
  /** A load for each cell; NaN in a gap. */
  loads: number[];
  /** The unit of all loads, without a scale: "req/s", "B". Empty without one. */
  unit: string;
  /** What is wrong in a cell, by its index. */
  faults: Map<number, string>;
  /** How the cells were read, a sentence each. */
  notes: string[];
}

/** The mark between whole and fraction. */
export type Decimal = "." | ",";

/** Texts that stand for no value. */
const absent = /^(|-|nan|null|none|n\/a|undefined)$/i;

/** Decimal and binary prefixes, as Grafana and Kubernetes write them. */
const prefixes: [string, number][] = [
  ...["k", "M", "G", "T", "P", "E"].map((prefix, index): [string, number] => [prefix, 1000 ** (index + 1)]),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((prefix, index): [string, number] => [prefix, 1024 ** (index + 1)]),
  ["K", 1000],
];

/** What may stand for a factor by itself, or before a unit. */
const scales = new Map<string, number>([
  ...prefixes,
  ...["Mil", "Bil", "Tri", "Quadr", "Quint"].map((word, index): [string, number] => [word, 1000 ** (index + 2)]),
  ...["m", "u", "n"].map((prefix, index): [string, number] => [prefix, 1000 ** -(index + 1)]),
  ["µ", 1e-6],
]);

/** Bytes and bits with all prefixes, alone and per second. */
const dataUnits = new Map(
  ["", "/s", "ps"].flatMap(rate =>
    [["", 1] as [string, number], ...prefixes].flatMap(([prefix, scale]) =>
      ["B", "b"].map((unit): [string, Unit] => [
        `${prefix}${unit}${rate}`,
        { scale, unit: `${unit}${rate === "" ? "" : "/s"}` },
      ]),
    ),
  ),
);

interface Unit {
  scale: number;
  unit: string;
}

const plain: Unit = { scale: 1, unit: "" };

/**
 * Reads a column of loads: numbers with or without separators of thousands, a scale (K, Mil, Mi) and a unit. Times of
 * reading are linear in the length of the cells.
 * @param separator whether a single comma before three digits separates thousands, where no other number of the column
 *   tells; else it is a decimal comma
 * @param given the decimal mark, where the user names it
 */
export function readLoads(cells: Cell[], separator: boolean, given?: Decimal): Loads {
  const { decimal, guessedBy }: Guess = given === undefined ? decimalOf(cells, separator) : { decimal: given };
  const faults = new Map<number, string>();
  const units = new Map<string, Unit | undefined>();
  let first: (Cell & { unit: string }) | undefined;
  let scaled: (Cell & { load: number }) | undefined;
  const loads = cells.map((cell, index) => {
    const { line, text } = cell;
    if (absent.test(text)) return NaN;
    const { number, rest } = split(text);
    if (!units.has(rest)) units.set(rest, unitOf(rest));
    const unit = units.get(rest);
    const load = unit ? numberOf(number, decimal) * unit.scale : NaN;
    if (!unit || !(load >= 0) || !Number.isFinite(load)) {
      faults.set(index, `"${text}" is not a load, use a number of 0 or more, or nothing for a gap`);
      return NaN;
    }
    first ??= { ...cell, unit: unit.unit };
    if (first.unit !== unit.unit)
      faults.set(
        index,
        `"${text}" is ${inUnit(unit.unit)}, but line ${first.line} ("${first.text}") is ${inUnit(first.unit)}; ` +
          "use one unit in the column",
      );
    if (unit.scale !== 1) scaled ??= { line, text, load };
    return load;
  });
  const unit = first?.unit ?? "";
  const notes = [
    ...(unit === "" ? [] : [`the loads are in ${unit}`]),
    ...(scaled ? [`"${scaled.text}" in line ${scaled.line} is read as ${`${shown(scaled.load)} ${unit}`.trim()}`] : []),
    ...(guessedBy
      ? [
          `"${guessedBy.text}" in line ${guessedBy.line} is read with a ` +
            `${decimal === "," ? "decimal comma" : "comma between thousands"}: ` +
            `${shown(numberOf(split(guessedBy.text).number, decimal))}; --decimal decides`,
        ]
      : []),
  ];
  return { loads, unit, faults, notes };
}

/** A number without the digits that only rounding makes. */
const shown = (load: number): string => String(Number(load.toPrecision(12)));

const inUnit = (unit: string): string => (unit === "" ? "without a unit" : `in ${unit}`);

/** Whether a cell could be a load, or a gap. */
export function isLoad(text: string): boolean {
  if (absent.test(text)) return true;
  const { number, rest } = split(text);
  return unitOf(rest) !== undefined && ([".", ","] as const).some(decimal => !Number.isNaN(numberOf(number, decimal)));
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= "0" && character <= "9";
const isSpace = (character: string | undefined): boolean => /^[ \u00a0\u2009\u202f]$/.test(character ?? "");

/** Splits a cell after its number: "1 024.5 req/s", "1.5K". */
function split(text: string): { number: string; rest: string } {
  if (text !== "" && Number.isFinite(Number(text))) return { number: text, rest: "" };
  let end = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  for (; end < text.length; end++) {
    const [before, character, after] = [text[end - 1], text[end], text[end + 1]];
    if (isDigit(character) || character === "." || character === ",") continue;
    if (isSpace(character) && isDigit(before) && isDigit(after)) continue;
    const signed = (after === "-" || after === "+") && isDigit(text[end + 2]);
    if ((character !== "e" && character !== "E") || !isDigit(before) || !(signed || isDigit(after))) break;
    if (signed) end++;
  }
  return { number: text.slice(0, end), rest: text.slice(end).trim() };
}

/** The unit after a number. Undefined for text that is none. */
function unitOf(rest: string): Unit | undefined {
  if (rest === "") return plain;
  const data = dataUnits.get(rest);
  if (data) return data;
  const [word = "", ...others] = rest.split(" ").filter(one => one !== "");
  // Grafana writes billions of requests as "1.2B req/s". B alone is bytes.
  const scale = word === "B" && others.length > 0 ? 1e9 : scales.get(word);
  const unit = (scale === undefined ? [word, ...others] : others).join(" ");
  if (unit !== "" && (unit.length > 40 || !/^[\p{L}%][\p{L}%/ ]*$/u.test(unit))) return undefined;
  return { scale: scale ?? 1, unit };
}

/** The number in a text; NaN when it is none, or when its thousands are not separated by three digits. */
function numberOf(text: string, decimal: Decimal): number {
  if (!text.includes(",") && decimal === "." && text !== "" && Number.isFinite(Number(text))) return Number(text);
  const [whole = "", fraction, ...more] = text.split(decimal);
  const [first = "", ...groups] = whole.split(/[.,\s]/);
  const unsigned = first.replace(/^[-+]/, "");
  const grouped = groups.length === 0 || (unsigned.length >= 1 && unsigned.length <= 3);
  if (more.length > 0 || !grouped || groups.some(group => group.length !== 3)) return NaN;
  const digits = [first, ...groups].join("") + (fraction === undefined ? "" : `.${fraction}`);
  return digits === "" || digits === "." ? NaN : Number(digits);
}

interface Guess {
  decimal: Decimal;
  /** The number that could be read in two ways. */
  guessedBy?: Cell;
}

/**
 * The decimal separator of a column. Of a comma and a dot in one number the last one is it, and what is there twice is
 * not. A comma that is not followed by three digits is one, and a dot likewise. Where each comma is, the numbers without
 * one tell: 1,065 beside 950 is a thousand and 65.
 */
function decimalOf(cells: Cell[], separator: boolean): Guess {
  let open: Cell | undefined;
  let point = false;
  const plain: number[] = [];
  const withComma: number[] = [];
  for (const cell of cells) {
    const { number } = split(cell.text);
    const [comma, dot] = [number.lastIndexOf(","), number.lastIndexOf(".")];
    if (comma < 0 && dot < 0) {
      if (Number(number) > 0) plain.push(Number(number));
      continue;
    }
    if (comma >= 0 && dot >= 0) return { decimal: comma > dot ? "," : "." };
    const at = Math.max(comma, dot);
    const [mark, other] = comma >= 0 ? ([",", "."] as const) : ([".", ","] as const);
    if (number.indexOf(mark) < at) return { decimal: other };
    const separates = number.length - at === 4 && at >= 1 && at <= 3 && !number.startsWith("0");
    if (mark === "," && !separates) return { decimal: "," };
    if (mark === ",") {
      open ??= cell;
      withComma.push(Number(number.replace(",", "")));
    } else point ||= !separates;
  }
  if (!open || point) return { decimal: "." };
  const ofColumn = median(plain);
  if (separator || ofColumn === undefined) return { decimal: separator ? "." : ",", guessedBy: open };
  const thousands = median(withComma) ?? NaN;
  const distance = (value: number): number => Math.abs(Math.log(value / ofColumn));
  return { decimal: distance(thousands) <= distance(thousands / 1000) ? "." : ",", guessedBy: open };
}

/** The median of numbers; undefined without one. */
const median = (numbers: number[]): number | undefined =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
