import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../cli/manifests";
import { durationText, parseDuration, parseTime } from "../../../cli/simulate/time";
import { Columns, readTrace } from "../../../cli/simulate/trace";

const utc: Columns = { zone: "UTC" };
const minute = 60_000;

describe("parseTime", () => {
  const at = Date.UTC(2024, 4, 1, 10, 0, 0);

  it.each([
    "2024-05-01T10:00:00Z",
    "2024-05-01T12:00:00+02:00",
    "2024-05-01T10:00:00.000",
    "2024-05-01T10:00",
    "20240501T100000Z",
    "2024-05-01 10:00",
    "2024-05-01 10:00:00",
    "2024-05-01 10:00:00+00",
    "2024-05-01 12:00:00 Europe/Berlin",
    "2024/05/01 10:00",
    "Wed, 01 May 2024 10:00:00 GMT",
    "1714557600",
    "1714557600.0",
    "1714557600000",
    "1714557600000000",
    "1714557600000000000",
    "1.7145576e9",
  ])("reads %s", text => {
    expect(parseTime(text, "UTC")).toBe(at);
  });

  it("takes a time without a zone to be in the one that is given", () => {
    expect(parseTime("2024-05-01 12:00", "Europe/Berlin")).toBe(at);
    expect(parseTime("2024-05-01T10:00:00Z", "Europe/Berlin")).toBe(at);
  });

  it.each(["", "now", "10:00", "2024-02-30", "01/05/2024 10:00", "2024-05-01 25:00", "Infinity", "12 apples"])(
    "does not guess what %j is",
    text => {
      expect(parseTime(text, "UTC")).toBeNaN();
    },
  );
});

describe("durations", () => {
  it("are read with their unit", () => {
    expect(parseDuration("--step", "90s")).toBe(90_000);
    expect(parseDuration("--step", "1.5 hours")).toBe(5_400_000);
  });

  it.each(["", "3", "soon", "-1m", "m"])("are not %j", text => {
    expect(() => parseDuration("--step", text)).toThrow(`--step: "${text}" is no duration, use for example 30s`);
  });

  it.each([
    [0, "0 s"],
    [59.6, "1 min"],
    [7_500, "2 h 5 min"],
    [180_061, "2 d 2 h"],
  ])("of %d s are told as %s", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});

/** The ways in which times are written that hold whole seconds. */
const forms: ((at: number) => string)[] = [
  at => new Date(at).toISOString(),
  at => DateTime.fromMillis(at, { zone: "Asia/Kolkata" }).toISO() ?? "",
  at => DateTime.fromMillis(at, { zone: "UTC" }).toFormat("yyyy-MM-dd HH:mm:ss"),
  at => String(at / 1000),
  at => String(at),
  at => `${at}000`,
];

describe("readTrace", () => {
  it("gets back any load, however its times are written and its lines are ordered", () => {
    const given = fc.record({
      loads: fc.array(
        fc.oneof({ weight: 9, arbitrary: fc.double({ min: 0, max: 1e9, noNaN: true }) }, fc.constant(NaN)),
        {
          minLength: 3,
          maxLength: 40,
        },
      ),
      step: fc.constantFrom(1, 5, 30, 60).map(minutes => minutes * minute),
      start: fc.integer({ min: Date.UTC(2000, 0, 1) / minute, max: Date.UTC(2030, 0, 1) / minute }),
      form: fc.constantFrom(...forms),
      delimiter: fc.constantFrom(",", ";", "\t"),
      header: fc.boolean(),
      swapped: fc.boolean(),
      seed: fc.integer(),
    });
    fc.assert(
      fc.property(given, ({ loads, step, start, form, delimiter, header, swapped, seed }) => {
        // Numbers could be either, so the column that comes first is that of times then.
        const ambiguous = !form(0).includes("-");
        const cells = (time: string, load: string): string =>
          (swapped && !ambiguous ? [load, time] : [time, load]).join(delimiter);
        const lines = loads.map((load, slot) =>
          cells(form(start * minute + slot * step), Number.isNaN(load) ? "" : String(load)),
        );
        const shuffled =
          fc.sample(fc.shuffledSubarray(lines, { minLength: lines.length }), { seed, numRuns: 1 })[0] ?? [];
        const text = [...(header ? [cells("when", "what")] : []), ...shuffled].join("\n");
        const trace = readTrace("t.csv", text, utc);
        expect(trace).toMatchObject({ loads, step, startedAt: start * minute });
      }),
    );
  });

  it("answers any text with a trace of loads of 0 or more, or with what is wrong with it", () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        "",
        "NaN",
        "-1",
        "1e308",
        "0",
        '"',
        "2024-05-01T10:00:00Z",
        "2024-05-01T10:05:00Z",
        "99999999999",
      ),
    );
    const line = fc.array(cell, { maxLength: 4 }).map(cells => cells.join(","));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), lines => {
        try {
          const { loads, step } = readTrace("t.csv", lines.join("\n"), utc);
          expect(step).toBeGreaterThanOrEqual(minute);
          expect(loads.every(load => Number.isNaN(load) || load >= 0)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 300 },
    );
  });

  const rows = (...loads: (string | number)[]): string =>
    loads.map((load, slot) => `2024-05-01T10:${String(5 * slot).padStart(2, "0")}:00Z,${load}`).join("\n");

  it("names each bad line with what it has and what it may have, the first ten of them", () => {
    expect(() => readTrace("t.csv", `time,load\n${rows(1, "many", -3, 4)}\nyesterday,5`, utc)).toThrow(
      [
        't.csv: line 3: "many" is no load, use a number of 0 or more, or nothing for a gap',
        't.csv: line 4: "-3" is no load, use a number of 0 or more, or nothing for a gap',
        't.csv: line 6: "yesterday" is no time, use ISO 8601 (2024-05-01T10:00:00Z) or epoch seconds or milliseconds',
      ].join("\n"),
    );
    const bad = rows(1, 2, ...Array.from({ length: 9 }, () => "x")) + "\nx,1\nx,2\nx,3";
    expect(() => readTrace("t.csv", bad, utc)).toThrow(/line 12: "x" is no time[^\n]*\nt\.csv: and 2 lines more$/);
  });

  it("tells of gaps, duplicates and disorder, and keeps gaps as they are", () => {
    const times = ["10:00", "10:10", "10:05", "10:05", "10:25"];
    const text = times.map((time, slot) => `2024-05-01 ${time},${slot}`).join("\n");
    const { loads, notes } = readTrace("t.csv", text, utc);
    expect(loads).toEqual([0, 3, 1, NaN, NaN, 4]);
    expect(notes).toEqual([
      "1 line earlier than the one before: sorted by time",
      "1 line at the time of another: the last one counts",
      "2 slots of 6 without a load",
    ]);
  });

  it("takes loads together to means, at full steps of the clock", () => {
    const text = ["10:05,1", "10:10,2", "10:15,", "10:20,4", "10:25,6", "10:45,9"]
      .map(row => `2024-05-01 ${row}`)
      .join("\n");
    const { loads, startedAt, step } = readTrace("t.csv", text, utc, 15 * minute);
    expect({ loads, startedAt, step }).toEqual({
      loads: [1.5, 5, NaN, 9],
      startedAt: Date.UTC(2024, 4, 1, 10),
      step: 15 * minute,
    });
    expect(() => readTrace("t.csv", text, utc, minute)).toThrow("--step: 1 min is finer than t.csv, use 5 min or more");
  });

  it("takes what is finer than a minute together to minutes", () => {
    const text = Array.from(
      { length: 8 },
      (_, index) => `${1_714_557_600 + 15 * index + 0.01 * (index % 3)},${index}`,
    ).join("\n");
    expect(readTrace("t.csv", text, utc)).toMatchObject({ step: minute, loads: [1.5, 5.5] });
  });

  it("finds the columns, and takes those that are named", () => {
    const text = ",time,cpu,requests\n0,2024-05-01 10:00,0.5,7\n1,2024-05-01 10:05,0.6,8";
    expect(readTrace("t.csv", text, { ...utc, value: "requests" }).loads).toEqual([7, 8]);
    expect(readTrace("t.csv", text, { ...utc, time: "2", value: "3" }).loads).toEqual([0.5, 0.6]);
    expect(() => readTrace("t.csv", text, utc)).toThrow(
      "t.csv: the columns , cpu, requests could all be the load, name the one that is with --value",
    );
    expect(() => readTrace("t.csv", text, { ...utc, value: "memory" })).toThrow(
      "--value: t.csv has no column memory, use one of , time, cpu, requests",
    );
  });

  it("reads a decimal comma where commas do not part cells, and does not guess where they do", () => {
    expect(readTrace("t.csv", "zeit;last\n2024-05-01 10:00;1,5\n2024-05-01 10:05;2,25", utc).loads).toEqual([
      1.5, 2.25,
    ]);
    expect(() => readTrace("t.csv", rows(1, '"1,234"'), utc)).toThrow('line 2: "1,234" is no load');
  });

  it("does not fill the memory because of one wrong time, and says which it is", () => {
    const text = `${rows(1, 2, 3)}\n2924-05-01T10:00:00Z,4`;
    expect(() => readTrace("t.csv", text, utc)).toThrow(
      /more than 2000000 slots of 5 min; the widest hole is before line 4/,
    );
  });

  it.each([
    ["", "t.csv: has 0 columns, at least two are needed"],
    ["a\nb", "t.csv: has 1 columns, at least two are needed"],
    ["2024-05-01,1", "t.csv: has 1 loads at different times, at least 2 are needed"],
    ['2024-05-01,"1', "t.csv: is not CSV: Quote Not Closed"],
  ])("says what is missing in %j", (text, message) => {
    expect(() => readTrace("t.csv", text, utc)).toThrow(message);
  });
});
