import { describe, expect, it } from "vitest";
import { Story, type Moment } from "../../../sandbox/story";

const calm: Moment = {
  ...{ sinceRise: -200, load: 780, trusted: false, reason: "8: the load is 780" },
  mlscaler: { replicas: 8, ready: 8 },
  hpa: { replicas: 8, ready: 8 },
};

/** What is told of each of the moments, which are as the one before but for what is given. */
function told(...changes: Partial<Moment>[]): string[][] {
  const story = new Story(16);
  let moment = calm;
  return changes.map(change => story.tell((moment = { ...moment, ...change })));
}

describe("the story of a rise", () => {
  it("tells who had the pods when", () => {
    expect(
      told(
        {},
        { trusted: true, skillPercent: 60 },
        { sinceRise: -220, buffer: 8 },
        { sinceRise: -100, buffer: 0, mlscaler: { replicas: 16, ready: 8 }, reason: "8 → 16: forecast p90 1580" },
        { sinceRise: -59, mlscaler: { replicas: 16, ready: 16 } },
        { sinceRise: 1 },
        { sinceRise: 25, hpa: { replicas: 16, ready: 8 } },
        { sinceRise: 66.2, hpa: { replicas: 16, ready: 16 } },
      ),
    ).toEqual([
      [],
      ['the forecast is trusted: on the last day it was 60 % better than "it stays as it is"'],
      ["MLScaler asks for nodes for 8 more pods, 3:40 before the load"],
      ["MLScaler 8 → 16: forecast p90 1580"],
      ["MLScaler has the 16 pods Ready that the load needs, 0:59 before the load"],
      ["the load rises"],
      ["HPA 8 → 16, 0:25 after the load"],
      ["HPA has the 16 pods Ready that the load needs, 1:06 after the load"],
    ]);
  });

  it("ends with one sentence when both have the pods, by the first time that each had them", () => {
    const story = new Story(16);
    const both = { replicas: 16, ready: 16 };
    story.tell(calm);
    story.tell({ ...calm, sinceRise: -130, mlscaler: both });
    story.tell({ ...calm, sinceRise: -120, mlscaler: { replicas: 16, ready: 15 } });
    story.tell({ ...calm, sinceRise: 10, mlscaler: both });
    expect(story.end).toBeUndefined();
    story.tell({ ...calm, sinceRise: 56, mlscaler: both, hpa: both });
    expect(story.end).toBe("MLScaler had 16 Ready pods 2:10 before the load, the HPA 0:56 after the load.");
  });

  it("tells nothing twice", () => {
    expect(told({ trusted: true }, {}, { sinceRise: 1 }, { sinceRise: 2 }).map(({ length }) => length)).toEqual([
      1, 0, 1, 0,
    ]);
  });
});
