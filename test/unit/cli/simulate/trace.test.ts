import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../../cli/manifests";
import { readTrace, Reading } from "../../../../cli/simulate/trace";

const utc: Reading = { zone: "UTC" };
const minute = 60_000;

/** Formats of times with a precision of whole seconds. */
const forms: ((at: number) => string)[] = [
  at => new Date(at).toISOString(),
  at => DateTime.fromMillis(at, { zone: "Asia/Kolkata" }).toISO() ?? "",
  at => DateTime.fromMillis(at, { zone: "UTC" }).toFormat("yyyy-MM-dd HH:mm:ss"),
  at => String(at / 1000),
  at => String(at),
  at => `${at}000`,
];

describe("readTrace", () => {
  it("reads any load, with any format of times and any order of lines", () => {
    const given = fc.record({
      loads: fc.array(
        fc.oneof({ weight: 9, arbitrary: fc.double({ min: 0, max: 1e9, noNaN: true }) }, fc.constant(NaN)),
        { minLength: 3, maxLength: 40 },
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

  it("gives loads of 0 or more, or a fault, for any text", () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(...',NaN,-1,1e308,0,",2024-05-01T10:00:00Z,2024-05-01T10:05:00Z,99999999999'.split(",")),
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
      { numRuns: 150 },
    );
  });

  const rows = (...loads: (string | number)[]): string =>
    loads.map((load, slot) => `2024-05-01T10:${String(5 * slot).padStart(2, "0")}:00Z,${load}`).join("\n");

  it("names the first ten bad lines, and what they may hold", () => {
    expect(() => readTrace("t.csv", `time,load\n${rows(1, "many", -3, 4)}\nyesterday,5`, utc)).toThrow(
      [
        't.csv: line 3: "many" is not a load, use a number of 0 or more, or nothing for a gap',
        't.csv: line 4: "-3" is not a load, use a number of 0 or more, or nothing for a gap',
        't.csv: line 6: "yesterday" is not a time, use ISO 8601 (2024-05-01T10:00:00Z) or epoch seconds or milliseconds',
      ].join("\n"),
    );
    const bad = rows(1, 2, ...Array.from({ length: 9 }, () => "x")) + "\nx,1\nx,2\nx,3";
    expect(() => readTrace("t.csv", bad, utc)).toThrow(/line 12: "x" is not a time[^\n]*\nt\.csv: and 2 lines more$/);
  });

  it("notes gaps, duplicates and disorder, and keeps the gaps", () => {
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

  it("averages loads over steps that start at multiples of the step", () => {
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

  it("averages finer loads over minutes", () => {
    const text = Array.from(
      { length: 8 },
      (_, index) => `${1_714_557_600 + 15 * index + 0.01 * (index % 3)},${index}`,
    ).join("\n");
    expect(readTrace("t.csv", text, utc)).toMatchObject({ step: minute, loads: [1.5, 5.5] });
  });

  it("detects the columns, or takes the named ones", () => {
    const text = ",time,cpu,requests\n0,2024-05-01 10:00,0.5,7\n1,2024-05-01 10:05,0.6,8";
    expect(readTrace("t.csv", text, { ...utc, value: "requests" }).loads).toEqual([7, 8]);
    expect(readTrace("t.csv", text, { ...utc, time: "2", value: "3" }).loads).toEqual([0.5, 0.6]);
    expect(() => readTrace("t.csv", text, utc)).toThrow(
      "t.csv: the columns , cpu, requests could all be the load, name one of them with --value",
    );
    expect(() => readTrace("t.csv", text, { ...utc, value: "memory" })).toThrow(
      "--value: t.csv has no column memory, use one of , time, cpu, requests",
    );
  });

  it("suggests the column that a wrong name means", () => {
    const text = "Time,CPU,Requests\n2024-05-01 10:00,0.5,7\n2024-05-01 10:05,0.6,8";
    expect(() => readTrace("t.csv", text, { ...utc, value: "request" })).toThrow(
      "--value: t.csv has no column request, use one of Time, CPU, Requests; did you mean Requests?",
    );
    expect(() => readTrace("t.csv", text, { ...utc, time: "tme", value: "2" })).toThrow("; did you mean Time?");
    expect(() => readTrace("t.csv", text, { ...utc, value: "memory" })).toThrow(/use one of Time, CPU, Requests$/);
  });

  it("reads a decimal comma in a file with semicolons, and thousands in one with commas", () => {
    const text = "zeit;last\n2024-05-01 10:00;1,5\n2024-05-01 10:05;2,25";
    expect(readTrace("t.csv", text, utc).loads).toEqual([1.5, 2.25]);
    expect(readTrace("t.csv", "1714557600,5;1\n1714557660,5;2", utc).startedAt).toBe(1_714_557_600_500);
    expect(readTrace("t.csv", rows(1, '"1,234"'), utc).loads).toEqual([1, 1234]);
  });

  it("reads what Grafana writes, with units and with the line for Excel", () => {
    const lines = ['"Time","web"', "2024-05-01 10:00:00,201.7 req/s", "2024-05-01 10:05:00,1.02K req/s"];
    expect(readTrace("t.csv", ["sep=,", ...lines].join("\r\n"), utc)).toMatchObject({
      loads: [201.7, 1020],
      unit: "req/s",
      column: "web",
      notes: ["the loads are in req/s", '"1.02K req/s" in line 4 is read as 1020 req/s'],
    });
    expect(readTrace("t.csv", lines.slice(1).join("\n"), utc).loads).toEqual([201.7, 1020]);
    expect(() => readTrace("t.csv", [...lines, "2024-05-01 10:10:00,12 MiB"].join("\n"), utc)).toThrow(
      't.csv: line 4: "12 MiB" is in B, but line 2 ("201.7 req/s") is in req/s; use one unit in the column',
    );
  });

  it("reads dates in the format of --date-format, and names the option for those that need it", () => {
    const text = "load,when\n1,05/01/2024 10:00\n2,05/01/2024 10:05";
    expect(readTrace("t.csv", text, { ...utc, dateFormat: "MM/dd/yyyy HH:mm" })).toMatchObject({
      loads: [1, 2],
      startedAt: Date.UTC(2024, 4, 1, 10),
    });
    expect(() => readTrace("t.csv", text, utc)).toThrow(
      't.csv: line 2: "05/01/2024 10:00" could have the month first or the day, ' +
        'say which: --date-format "MM/dd/yyyy H:mm" or "dd/MM/yyyy H:mm"',
    );
    expect(() => readTrace("t.csv", text.replaceAll("05/01", "05/31"), utc)).toThrow(
      'line 2: "05/31/2024 10:00" is not ISO 8601, use --date-format "MM/d/yyyy H:mm"',
    );
    expect(() => readTrace("t.csv", text, { ...utc, dateFormat: "DD/MM/YYYY HH:mm" })).toThrow(
      'line 2: "05/01/2024 10:00" does not have the --date-format "DD/MM/YYYY HH:mm"; ' +
        '--date-format "MM/dd/yyyy H:mm" or "dd/MM/yyyy H:mm" would',
    );
  });

  it("refuses a trace that a wrong time makes too long, and names its line", () => {
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
