import { describe, expect, it } from "vitest";
import { enabledOf } from "../../../capabilities/operator/start";

const enabled = (names: string | undefined): string[] =>
  enabledOf({ mlscaler: "mlscaler", hello: "hello", echo: "echo" }, names);

describe("the resources that a process reconciles", () => {
  it("are all, or those that are named, in the order of pepr.ts", () => {
    expect(enabled(undefined)).toEqual(["mlscaler", "hello", "echo"]);
    expect(enabled("echo, mlscaler")).toEqual(["mlscaler", "echo"]);
  });

  it.each(["", "mlscaler,pizza", "mlscaler,"])("are refused as %j, with the names that there are", names => {
    expect(() => enabled(names)).toThrow("use one or more of mlscaler, hello, echo, separated by commas");
  });
});
