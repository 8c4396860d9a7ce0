import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { readTrace, Reading } from "../../../../cli/simulate/trace";

const read = (text: string, reading: Partial<Reading> = {}): ReturnType<typeof readTrace> =>
  readTrace("t.csv", text, { zone: "UTC", ...reading });

const quarter = 900_000;
const begin = Date.UTC(2026, 9, 5);
const slots = Array.from({ length: 12 }, (_, slot) => slot);
const iso = (slot: number): string => new Date(begin + slot * quarter).toISOString();
/** The load of each of three pods, and that of all. */
const pods = [0, 1, 2].map(pod => slots.map(slot => (pod + 1) * 10 + slot));
const total = slots.map(slot => pods.reduce((sum, loads) => sum + (loads[slot] ?? NaN), 0));
const rowsOf = (row: (slot: number, pod: number) => string): string[] =>
  slots.flatMap(slot => pods.map((_, pod) => row(slot, pod)));

describe("several series", () => {
  const asRows = ["Series;Time;Value", ...rowsOf((slot, pod) => `web-${pod};${iso(slot)};${pods[pod]?.[slot]}`)];

  it("in rows are refused with the column that tells them apart, added up by --sum, and chosen by --where", () => {
    expect(() => read(asRows.join("\n"))).toThrow(
      "t.csv: 24 of 36 lines are at the time of another, with another Series (web-0, web-1, web-2): " +
        'add them up with --sum, or choose one with --where "Series=web-0"',
    );
    expect(read(asRows.join("\n"), { sum: true })).toMatchObject({ loads: total, notes: ["3 series added up"] });
    expect(read(asRows.join("\n"), { where: "Series=web-1" }).loads).toEqual(pods[1]);
    expect(() => read(asRows.join("\n"), { where: "Series=db" })).toThrow(
      "--where: no line of t.csv has db in the column Series",
    );
    expect(() => read(asRows.join("\n"), { where: "web-1" })).toThrow("--where: web-1 is not of the form COLUMN=VALUE");
  });

  it("in rows may each have times of its own", () => {
    const lines = rowsOf((slot, pod) => `${begin + slot * quarter + pod * 1000},web-${pod},${pods[pod]?.[slot]}`);
    expect(read(["time,pod,value", ...lines].join("\n"), { sum: true })).toMatchObject({ step: quarter, loads: total });
  });

  it("in columns are refused without --value or --sum, and added up", () => {
    const lines = slots.map(slot => [iso(slot), ...pods.map(loads => loads[slot])].join(","));
    const text = ['Time,"{pod=""a""}",b,c', ...lines].join("\n");
    expect(() => read(text)).toThrow(
      'the columns {pod="a"}, b, c could all be the load, name one of them with --value, or add all of them up with --sum',
    );
    expect(read(text, { sum: true }).loads).toEqual(total);
    expect(read(text, { value: "b,c" })).toMatchObject({
      loads: slots.map(slot => (pods[1]?.[slot] ?? NaN) + (pods[2]?.[slot] ?? NaN)),
      column: "2 columns",
      notes: expect.arrayContaining(["the sum of b, c"]) as string[],
    });
  });

  it("without a column that tells them apart never end with a verdict", () => {
    const lines = rowsOf((slot, pod) => `${iso(slot)},${pods[pod]?.[slot]}`);
    expect(() => read(lines.join("\n"))).toThrow(
      "24 of 36 lines are at the time of another: add them up with --sum, or name the columns of date and hour",
    );
  });

  it.each([
    ["in turn", 2, ""],
    ["in one row in five", 5, "37"],
  ])("of other times, %s, leave the step of a column to its own loads", (_, every, latency) => {
    const lines = slots
      .flatMap(slot => Array.from({ length: every }, (_, part) => slot * every + part))
      .map(row => {
        const at = new Date(begin + (row * quarter) / every).toISOString();
        return row % every === 0 ? `${at},${row / every},${latency}` : `${at},,38`;
      });
    const text = ["Time,rps,latency", ...lines].join("\n");
    expect(read(text, { value: "rps" })).toMatchObject({ step: quarter, loads: slots, notes: [] });
  });
});

describe("the header", () => {
  const lines = slots.map(slot => `${iso(slot)},${slot}`);

  it.each(["Time,200", "Time,0.95", "@timestamp,count", "_time,2026"])("may have a number as a name: %s", header => {
    expect(read([header, ...lines].join("\n"))).toMatchObject({ loads: slots, column: header.split(",")[1] });
  });

  it("names a column by a number before the number of a column does", () => {
    const text = ["Time,200,2", ...lines.map((line, slot) => `${line},${slot * 2}`)].join("\n");
    expect(read(text, { value: "2" }).loads).toEqual(slots.map(slot => slot * 2));
  });

  it("may come after lines of another width, which are left out", () => {
    const text = ["Report,Metrics", "From,2026-10-05T00:00:00Z", "Id,Time,Requests"].concat(
      lines.map(line => `E0,${line}`),
    );
    expect(read(text.join("\n"))).toMatchObject({ loads: slots, notes: ["2 lines before the table left out"] });
    expect(read(["RequestCount", ...lines].join("\n"))).toMatchObject({ loads: slots });
  });

  it("tells the time from other columns of times, as in annotated CSV of Influx", () => {
    const text = [
      "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double",
      ",result,table,_start,_stop,_time,_value",
      ...lines.map(line => `,_result,0,2026-10-05T00:00:00Z,2026-10-06T00:00:00Z,${line}`),
    ].join("\n");
    expect(read(text)).toMatchObject({ loads: slots, column: "_value" });
  });
});

describe("times", () => {
  const at = Date.UTC(2026, 9, 5, 14, 30);

  it.each([
    ["Kibana", '"Oct 5, 2026 @ 14:30:00.000"', '"Oct 5, 2026 @ 14:45:00.000"'],
    ["Apache", "05/Oct/2026:16:30:00 +0200", "05/Oct/2026:16:45:00 +0200"],
    ["Go", "2026-10-05 16:30:00 +0200 CEST", "2026-10-05 16:45:00 +0200 CEST"],
    ["HTTP", '"Mon, 05 Oct 2026 14:30:00 GMT"', '"Mon, 05 Oct 2026 14:45:00 GMT"'],
  ])("of %s are read", (_, first, second) => {
    expect(read(`when,load\n${first},1\n${second},2`)).toMatchObject({ startedAt: at, loads: [1, 2] });
  });

  it.each(["10/5/2026  2:30:00 PM", "10/5/2026 2:30:00.000000000 PM", "5.10.2026, 14:30"])(
    "such as %j need the format that the message names",
    time => {
      const text = `load;when\n1;${time}\n2;${time.replace(":30", ":45")}`;
      let message = "";
      expect(() => read(text)).toThrow(
        expect.objectContaining({ message: expect.stringContaining("--date-format") as string }) as Error,
      );
      try {
        read(text);
      } catch (error) {
        message = error instanceof Error ? error.message : "";
      }
      const formats = [...(/--date-format (.*)/.exec(message)?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, one]) => one);
      expect(formats.map(dateFormat => read(text, { dateFormat }).startedAt)).toContain(at);
    },
  );

  it("may stand in two columns, of dates and hours", () => {
    const text = `Date,Hour,load\n2026-10-05,14:30,1\n2026-10-05,14:45,2`;
    expect(read(text, { time: "Date,Hour" })).toMatchObject({ startedAt: at, loads: [1, 2] });
  });

  it("keep both hours when clocks go back, by the order of the lines, in any zone", () => {
    const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC"];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(5, 15, 30).map(minutes => minutes * 60_000),
        fc.constantFrom(2016, 2017, 2026),
        fc.boolean(),
        (zone, step, year, falling) => {
          for (const begin of backIn(zone, year).map(back => back - 6 * 3_600_000)) {
            const loads = Array.from({ length: (12 * 3_600_000) / step }, (_, slot) => slot);
            const lines = loads.map(slot => {
              const time = DateTime.fromMillis(begin + slot * step, { zone });
              return `${time.toFormat("yyyy-MM-dd HH:mm:ss")},${slot}`;
            });
            const text = ["when,load", ...(falling ? lines.reverse() : lines)].join("\n");
            expect(read(text, { zone })).toMatchObject({ startedAt: begin, step, loads });
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** The hours of a year in which the clocks of a zone go back, in epoch milliseconds. */
function backIn(zone: string, year: number): number[] {
  const offset = (at: number): number => DateTime.fromMillis(at, { zone }).offset;
  const backWithin = (span: number) => (at: number) => offset(at) > offset(at + span);
  const times = (begin: number, count: number, span: number): number[] =>
    Array.from({ length: count }, (_, index) => begin + index * span);
  return times(Date.UTC(year, 0, 1), 366, 24 * 3_600_000)
    .filter(backWithin(24 * 3_600_000))
    .flatMap(day => times(day, 24, 3_600_000).filter(backWithin(3_600_000)));
}

describe("JSON", () => {
  const values = slots.map(slot => [(begin + slot * quarter) / 1000, String(slot)]);
  const answer = (...result: object[]): string =>
    JSON.stringify({ status: "success", data: { resultType: "matrix", result } });

  it("of query_range is read, and of several series their sum", () => {
    expect(read(answer({ metric: { app: "web" }, values })).loads).toEqual(slots);
    const two = answer({ metric: { pod: "a" }, values }, { metric: { pod: "b" }, values });
    expect(() => read(two)).toThrow(
      /with another pod \(a, b\): add them up with --sum, or choose one with --where "pod=a"/,
    );
    expect(read(two, { sum: true }).loads).toEqual(slots.map(slot => 2 * slot));
    expect(read(two, { where: "pod=b" }).loads).toEqual(slots);
  });

  it("of CloudWatch is read", () => {
    const Datapoints = slots.map(slot => ({ Timestamp: iso(slot), Sum: slot, Unit: "Count" })).reverse();
    expect(read(JSON.stringify({ Label: "RequestCount", Datapoints })).loads).toEqual(slots);
    const results = [{ Id: "m1", Label: "web", Timestamps: slots.map(iso), Values: slots }];
    expect(read(JSON.stringify({ MetricDataResults: results })).loads).toEqual(slots);
  });

  it("of arrays is read", () => {
    expect(read(JSON.stringify(slots.map(slot => ({ at: iso(slot), load: slot })))).loads).toEqual(slots);
    expect(read(JSON.stringify(slots.map(slot => [iso(slot), slot]))).loads).toEqual(slots);
  });

  it.each([
    ['{"status":"error","error":"query timed out"}', "t.csv: is an error of Prometheus: query timed out"],
    ['{"data":{"resultType":"vector","result":[]}}', "is a vector of Prometheus, not a matrix: use query_range"],
    ['{"dashboard":{}}', "t.csv: is JSON that is not read here: use the answer of query_range of Prometheus"],
    ["{", "t.csv: is not JSON: "],
    [answer(), "t.csv: has no series: the query found nothing"],
  ])("%s says what is wrong", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
