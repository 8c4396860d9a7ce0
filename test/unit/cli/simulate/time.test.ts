import { describe, expect, it } from "vitest";
import { durationText, parseDuration, parseTime } from "../../../../cli/simulate/time";

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

  it("reads a time without a zone in the given zone", () => {
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
