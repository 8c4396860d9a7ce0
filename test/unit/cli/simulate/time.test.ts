import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { durationText, formatsOf, namesDay, parseDuration, timeParser } from "../../../../cli/simulate/time";

describe("a parser of times", () => {
  const at = Date.UTC(2024, 4, 1, 10, 0, 0);

  const texts = [
    ..."2024-05-01T10:00:00Z 2024-05-01T12:00:00+02:00 2024-05-01T10:00:00.000 2024-05-01T10:00".split(" "),
    ...["20240501T100000Z", "2024-05-01 10:00", "2024-05-01 10:00:00", "2024-05-01 10:00:00+00"],
    ...["2024-05-01 12:00:00 Europe/Berlin", "2024/05/01 10:00", "Wed, 01 May 2024 10:00:00 GMT"],
    ..."1714557600 1714557600.0 1714557600000 1714557600000000 1714557600000000000 1.7145576e9".split(" "),
  ];

  it.each(texts)("reads %s", text => {
    expect(timeParser("UTC")(text)).toBe(at);
  });

  it("reads a time without a zone in the given zone", () => {
    expect(timeParser("Europe/Berlin")("2024-05-01 12:00")).toBe(at);
    expect(timeParser("Europe/Berlin")("2024-05-01T10:00:00Z")).toBe(at);
  });

  it.each(["", "now", "10:00", "2024-02-30", "01/05/2024 10:00", "2024-05-01 25:00", "Infinity", "12 apples"])(
    "does not guess what %j is",
    text => {
      expect(timeParser("UTC")(text)).toBeNaN();
    },
  );
});

describe("a parser of times in a zone", () => {
  it.each(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])(
    "reads any minute of a year in %s as luxon does, in a known form or in a format",
    zone => {
      const [parse, parseFormat] = [timeParser(zone), timeParser(zone, "MM/dd/yyyy HH:mm:ss")];
      const local = fc.integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2025, 0, 1) / 60_000 });
      fc.assert(
        fc.property(local, minutes => {
          const time = DateTime.fromMillis(minutes * 60_000, { zone: "UTC" });
          const at = DateTime.fromISO(time.toFormat("yyyy-MM-dd'T'HH:mm"), { zone }).toMillis();
          expect(parse(time.toFormat("yyyy-MM-dd HH:mm:ss"))).toBe(at);
          expect(parseFormat(time.toFormat("MM/dd/yyyy HH:mm:ss"))).toBe(at);
        }),
        { numRuns: 250 },
      );
    },
  );

  it("reads both days on which a clock is changed", () => {
    const parse = timeParser("Europe/Berlin");
    expect(parse("2024-03-31 03:00")).toBe(Date.UTC(2024, 2, 31, 1));
    expect(parse("2024-10-27 03:00")).toBe(Date.UTC(2024, 9, 27, 2));
  });

  it("takes the zone of a time before its own", () => {
    expect(timeParser("Asia/Tokyo", "MM/dd/yyyy HH:mm ZZ")("05/01/2024 12:00 +02:00")).toBe(Date.UTC(2024, 4, 1, 10));
  });

  it.each(["2024-02-30 10:00", "2023-02-29T10:00Z", "2024-04-31 00:00", "2024-13-01 00:00"])("refuses %s", text => {
    expect(timeParser("UTC")(text)).toBeNaN();
  });
});

describe("a format of times", () => {
  it.each([
    ["05/01/2024", ["MM/d/yyyy", "dd/M/yyyy"]],
    ["05/01/2024 10:00:00", ["MM/dd/yyyy HH:mm:ss", "dd/MM/yyyy HH:mm:ss"]],
    ["13.1.24 9:05 pm", ["d.M.yy h:mm a"]],
    ["1-25-2024, 10:00", ["M-d-yyyy, H:mm"]],
    ["2024-05-01", []],
    ["05/01-2024", []],
  ])("is suggested for %s, and reads it", (text, formats) => {
    const found = formatsOf(text);
    expect(found.map(one => one.replaceAll(/MM|dd|HH/g, two => two.charAt(0)))).toEqual(
      formats.map(one => one.replaceAll(/MM|dd|HH/g, two => two.charAt(0))),
    );
    for (const format of found) expect(timeParser("UTC", format)(text)).not.toBeNaN();
  });

  it("has to name year, month and day", () => {
    expect(["MM/dd/yyyy HH:mm", "d.M.yy", "DD", "ccc MMM dd yyyy"].map(namesDay)).toEqual([true, true, true, true]);
    expect(["HH:mm", "MM/dd HH:mm", "yyyy", ""].map(namesDay)).toEqual([false, false, false, false]);
  });
});

describe("durations", () => {
  it("are read with their unit", () => {
    expect(parseDuration("90s")).toBe(90_000);
    expect(parseDuration("1.5 hours")).toBe(5_400_000);
  });

  it.each(["", "3", "soon", "-1m", "m"])("are not %j", text => {
    expect(parseDuration(text)).toBeNaN();
  });

  it.each([
    [0, "0 s"],
    [59.6, "1 min"],
    [7_500, "2 h 5 min"],
    [180_061, "2 d 2 h"],
  ])("of %d s have the text %s", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
