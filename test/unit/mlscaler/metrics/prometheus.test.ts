import { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, MockInstance, vi } from "vitest";
import { stringify } from "yaml";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import { deadline } from "../../../../capabilities/kubernetes/deadline";
import { Discovery } from "../../../../capabilities/kubernetes/discovery";
import { metricsApis } from "../../../../capabilities/mlscaler/metrics/api/apis";
import { readMetric } from "../../../../capabilities/mlscaler/metrics/registry";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { queryText } from "../../../../capabilities/mlscaler/metrics/query-text";
import { serverOf } from "../../../../capabilities/mlscaler/metrics/prometheus/server";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { Turns } from "../../../../capabilities/operator/turns";
import { broken, FakeApi, forbidden } from "../../fake-api";
import { servingCertificate } from "../../../e2e/serving-certificate";
import { Answer, apiWith, data, failure, json, PrometheusServer, value } from "./prometheus-server";

const now = 1_767_225_600_000;
const minute = 60_000;
const query = 'sum(rate(http_requests_total{app="web"}[1m]))';
const named = `Prometheus metric ${query}: server main`;

let server: PrometheusServer;
let entries: Record<string, string> | Error | undefined;
let api: FakeApi;
let prometheus: Prometheus;
let within: MockInstance<typeof deadline.within>;

const ask = async (name: string, promQl: string, namespace = "shop"): Promise<number> =>
  (await prometheus.query(namespace, name, promQl)).value;

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MetricsError);
  expect((error as MetricsError).reason).toBe("FailedGetPrometheusMetric");
  return (error as MetricsError).message;
}

beforeEach(async () => {
  server = await new PrometheusServer().start();
  entries = { main: `url: ${server.url}` };
  api = apiWith(() => entries);
  prometheus = new Prometheus(api, new Turns());
  // However slow the machine is that the tests run on.
  within = vi.spyOn(deadline, "within").mockImplementation((_, run) => run(new AbortController().signal));
});

afterEach(async () => {
  await server.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const vector = (...series: unknown[]): Answer => data("vector", series);
const point = [now / 1000, "1"];

describe("an instant query", () => {
  it("comes to the value of the one series there is", async () => {
    server.answer = value("123.456");
    expect(await ask("main", query)).toBe(123.456);
    expect(server.asked).toMatchObject([
      { method: "GET", path: "/api/v1/query", parameters: { query, timeout: "5s", partial_response: "false" } },
    ]);
    // The time of the server counts, not ours.
    expect(server.asked[0]?.parameters.time).toBeUndefined();
  });

  it.each<[string, Answer, number]>([
    ["a scalar", data("scalar", [Date.now() / 1000, "7"]), 7],
    ["a number in another notation", value("1e+06"), 1_000_000],
    ["0", value("0"), 0],
    ["a value that is almost five minutes old", value("3", 299), 3],
  ])("takes %s", async (_, answer, expected) => {
    server.answer = answer;
    expect(await ask("main", query)).toBe(expected);
  });

  const see = "see whether its url is that of Prometheus";
  const html = { "Content-Type": "text/html" };
  const cutOff: Answer = response => {
    response.writeHead(200, { "Content-Length": 1000 }).write('{"status":"succ');
    setTimeout(() => response.destroy(), 10);
  };

  // prettier-ignore
  it.each<[string, Answer, string]>([
    ["no series", vector(), "has no series for it; see what the query gives in Prometheus, and its source"],
    ["NaN", value("NaN"), "answers with the value NaN; see what the query divides by"],
    ["+Inf", value("+Inf"), "answers with the value +Inf; see what the query divides by"],
    ["-Inf", value("-Inf"), "answers with the value -Inf; see what the query divides by"],
    ["no number", value(""), "answers with the value ; see what the query divides by"],
    ["many series", vector({ value: point }, { value: point }, { value: point }), "answers with 3 series, not with one; sum them up: sum(…)"],
    ["a histogram", vector({ histogram: [now / 1000, {}] }), "answers with a histogram, not with a number; put histogram_quantile() … around it"],
    ["a matrix", data("matrix", [{ values: [point] }]), "answers with a range of values, not with one; put rate(), avg_over_time() … around it"],
    ["a string", data("string", [now / 1000, "x"]), "answers with a string; the query must be of a number"],
    ["what Prometheus says of a wrong query", failure(400, "bad_data", 'invalid parameter "query": 1:5: parse error'),
      'answers with HTTP 400: bad_data: invalid parameter "query": 1:5: parse error; correct the query'],
    ["what Prometheus says of itself", failure(503, "unavailable", "out of\n memory"), "answers with HTTP 503: unavailable: out of memory; see its log"],
    ["a page", response => response.writeHead(200, html).end("<html>Log in</html>"), `answers with an HTML page, not with JSON; ${see}' API`],
    ["a page of a proxy", response => response.writeHead(502).end("\n<html>Bad gateway</html>"), "answers with HTTP 502 and an HTML page; see whether it runs, and its url"],
    ["words", response => response.writeHead(404).end("404 page not found\n"), 'answers with HTTP 404 and "404 page not found"; see whether it runs, and its url'],
    ["other JSON", json({ kind: "Status" }), `answers with HTTP 200 in an unknown form; ${see}`],
    ["another result", data("vector", [{ value: ["now", 1] }]),
      `answers in an unknown form: data.result.0.value.0: Invalid input: expected number, received string; ${see}' API`],
    ["a redirect", response => response.writeHead(302, { Location: "https://login" }).end(), "redirects (HTTP 302), which is not followed; have its url be the one that answers"],
    ["401", response => response.writeHead(401).end("Unauthorized"), "refuses the credentials (HTTP 401); see its bearer_token or basic_auth"],
    ["403 in JSON", json({ message: "no" }, 403), "refuses the credentials (HTTP 403); see its bearer_token or basic_auth"],
    ["a part of the series", json({ status: "success", isPartial: true, data: { resultType: "scalar", result: point } }),
      "answers with a part of the series only; see whether its storages run"],
    ["what is too large", response => response.writeHead(200).end(Buffer.alloc((1 << 20) + 1, " ")), "answers with more than 1 MiB; have the query come to one value: sum(…)"],
    ["what is cut off", cutOff, "cut off its answer; see its log, and those of proxies before it"],
    ["what ends too early", response => response.writeHead(200).end('{"status":"succ'), `answers with "{"status":"succ", not with JSON; ${see}' API`],
    ["nothing, and hangs up", response => response.destroy(), "cannot be reached (ECONNRESET); see whether it runs, and its url"],
  ])("fails on %s, and says why", async (_, answer, problem) => {
    server.answer = answer;
    expect(await messageOf(ask("main", query))).toBe(`${named} ${problem}`);
  });

  it("gives a server up that does not answer, and one whose answer does not end", async () => {
    within.mockImplementation((_, run) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new DOMException("late", "TimeoutError")), 50);
      return run(controller.signal);
    });
    const late = `${named} gave no answer in time; see its load, and what the query costs`;
    vi.useFakeTimers({ toFake: ["performance"] });
    for (const answer of [() => undefined, (response: ServerResponse) => void response.writeHead(200).write("{")]) {
      server.answer = answer;
      expect(await messageOf(ask("main", query))).toBe(late);
      vi.advanceTimersByTime(1000);
    }
    expect(await messageOf(ask("main", query))).toBe(late);
    vi.advanceTimersByTime(1000);
    const asked = server.asked.length;
    // Who waits for it would hold up others. The words are the same: each new message is a write of the status.
    expect(await messageOf(ask("main", query))).toBe(late);
    expect(server.asked).toHaveLength(asked);
    expect(within).toHaveBeenCalledWith(5000, expect.any(Function));
  });

  it("is asked once for all who ask the same at a time, and the answer is told to all", async () => {
    server.answer = value("5");
    const both = [ask("main", query), ask("main", query)];
    expect(await Promise.all(both)).toEqual([5, 5]);
    expect(await ask("main", "up")).toBe(5);
    expect(server.asked.map(({ parameters }) => parameters.query)).toEqual([query, "up"]);
  });

  it("is sent as a form when it is long, over the same connection", async () => {
    const long = `${query} + ${"x".repeat(4000)}`;
    await ask("main", query);
    await ask("main", long);
    expect(server.asked[1]).toMatchObject({ method: "POST", path: "/api/v1/query", parameters: { query: long } });
  });

  it("of one namespace is answered in time, whatever the queries of another one take", async () => {
    const held: (() => void)[] = [];
    server.answer = (response, asked) => {
      const answer = (): void => value("1")(response, asked);
      if (asked.parameters.query?.startsWith("slow")) held.push(answer);
      else answer();
    };
    const slow = Array.from({ length: 16 }, (_, index) => ask("main", `slow${index}`, "slow"));
    await vi.waitUntil(() => held.length === 8, { timeout: 300_000 });
    expect(await ask("main", query)).toBe(1);
    expect(held).toHaveLength(8);
    // The second eight have 5 s from when they are sent.
    expect(within).toHaveBeenCalledTimes(9);
    for (const answer of held.splice(0)) answer();
    await vi.waitUntil(() => held.length === 8, { timeout: 300_000 });
    expect(within).toHaveBeenCalledTimes(17);
    for (const answer of held) answer();
    expect(await Promise.all(slow)).toHaveLength(16);
  });
});

describe("the clock of a server", () => {
  const hour = 3600;
  const queried = (): Promise<{ value: number; skew?: unknown }> => prometheus.query("shop", "main", query);

  it.each([299, 0, -59])("does not matter for a value of %d s ago", async age => {
    server.answer = value("3", age);
    expect(await queried()).toEqual({ value: 3, skew: undefined });
  });

  it("shows a value that is too old, and one of the future", async () => {
    server.answer = value("3", 302);
    expect(await messageOf(queried())).toMatch(
      /server main has no newer value than of 20.*Z, where 5 min are allowed; see whether it still gets them, and the clocks$/,
    );
    server.answer = value("3", -63);
    expect(await messageOf(ask("main", "up"))).toMatch(/has a value of 20.*Z, which is in the future; see the clocks$/);
    server.answer = data("vector", [{ value: [1e300, "1"] }]);
    expect(await messageOf(ask("main", "down"))).toContain("which is in the future");
  });

  it.each([hour, -hour])("that is %d s off is told, with the value", async off => {
    server.answer = value("3", 0, off);
    const { value: read, skew } = await queried();
    expect(read).toBe(3);
    expect(skew).toMatchObject({ server: "Prometheus server main" });
    expect(Math.abs((skew as { milliseconds: number }).milliseconds - off * 1000)).toBeLessThan(3000);
  });

  it.each([hour, -hour])("counts, and not ours, which is %d s off", async off => {
    const real = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => real() + off * 1000);
    api.clock.observe({ date: new Date(real()).toUTCString() }, performance.now());
    server.answer = value("3", 0, -off);
    expect(await queried()).toEqual({ value: 3, skew: undefined });
    server.answer = value("3", 302, -off);
    expect(await messageOf(ask("main", "up"))).toContain("has no newer value");
    // Our clock places the values, so its times are asked in those of the server.
    server.answer = (response, { parameters }) =>
      data("matrix", [{ values: [[Number(parameters.start), "5"]] }])(response, { parameters } as never);
    expect(await prometheus.range("shop", "main", query, now, now, minute)).toEqual([[now, 5]]);
    expect(Number(server.asked.at(-1)?.parameters.start)).toBe(now / 1000 - off);
  });
});

describe("the age of samples", () => {
  const aged =
    (...ages: (number | undefined)[]): Answer =>
    (response, asked) => {
      const at = Date.now() / 1000;
      if (!asked.parameters.query?.includes("timestamp")) return value("7")(response, asked);
      const series = ages.flatMap((age, index) =>
        age === undefined ? [] : [{ metric: { selector: String(index) }, value: [at, String(age)] }],
      );
      data("vector", series)(response, asked);
    };
  const messageFor = (promQl: string): Promise<string> => messageOf(prometheus.query("shop", "main", promQl, 60));

  it("is asked of each selector where it is limited", async () => {
    server.answer = aged(10, 60);
    expect((await prometheus.query("shop", "main", "sum(a) / sum(b)", 60)).value).toBe(7);
    expect(server.asked.map(({ parameters }) => parameters.query)).toEqual([
      'label_replace(time() - max(timestamp(a)), "selector", "0", "", "") or ' +
        'label_replace(time() - max(timestamp(b)), "selector", "1", "", "")',
      "sum(a) / sum(b)",
    ]);
  });

  it("above the limit, or of nothing, is a failure, also where the query has a value all the same", async () => {
    server.answer = aged(10, 60.4);
    expect(await messageFor("a / b")).toBe(
      "Prometheus metric a / b: server main has its newest sample of 60 s ago of b, " +
        "where max_sample_age_seconds allows 60; see its source",
    );
    server.answer = aged();
    expect(await messageFor("sum(a) or vector(0)")).toContain("has no sample of a, where max_sample_age_seconds");
    expect(await messageFor("vector(0)")).toContain("the query selects no current series");
  });
});

describe("a range", () => {
  /** The range of so many minutes until now. */
  const ranged = (minutes: number): Promise<[number, number][]> =>
    prometheus.range("shop", "main", query, now - minutes * minute, now, minute);
  const matrix =
    (...series: [at: number, value: string][][]): Answer =>
    (response, asked) =>
      data(
        "matrix",
        series.map(values => ({ metric: {}, values })),
      )(response, asked);
  /** As Prometheus: a value a step, which is the number of the minute, at most 11,000 of them. */
  const minutes =
    (most = 11_000): Answer =>
    (response, asked) => {
      const [start = NaN, end = NaN, step = NaN] = ["start", "end", "step"].map(name => Number(asked.parameters[name]));
      const points = Math.floor((end - start) / step) + 1;
      if (points > most)
        return failure(422, "execution", "query processing would load too many samples")(response, asked);
      const values = Array.from({ length: points }, (_, index): [number, string] => {
        const at = start + index * step;
        return [at, String(at / 60)];
      });
      matrix(values)(response, asked);
    };

  it("has a value for each step, and is asked for in pieces of at most 11,000", async () => {
    server.answer = minutes();
    const from = now - 20_000 * minute;
    const values = await ranged(20_000);
    expect(values).toEqual(
      Array.from({ length: 20_001 }, (_, index) => [from + index * minute, from / minute + index]),
    );
    expect(server.asked).toHaveLength(2);
    expect(server.asked[0]).toMatchObject({
      path: "/api/v1/query_range",
      parameters: { query, step: "60", start: String(from / 1000) },
    });
  });

  it("is asked for in shorter pieces where they are too long for the server", async () => {
    server.answer = minutes(3000);
    const from = now - 9_999 * minute;
    const values = await ranged(9_999);
    expect(values.map(([at]) => at)).toEqual(Array.from({ length: 10_000 }, (_, index) => from + index * minute));
    expect(server.asked.length).toBeLessThan(8);
  });

  it.each<[string, Answer, string, number]>([
    [
      "where even little is too much",
      failure(422, "execution", "it exceeds the limit"),
      "HTTP 422: execution: it exceeds",
      11,
    ],
    ["at once where it asks too often", failure(429, "too_many", "rate limit exceeded"), "HTTP 429", 1],
    ["at once where the query is wrong", failure(400, "bad_data", "parse error"), "parse error", 1],
  ])("fails %s", async (_, answer, problem, most) => {
    server.answer = answer;
    expect(await messageOf(ranged(10_000))).toContain(problem);
    expect(server.asked.length).toBeLessThanOrEqual(most);
  });

  it("leaves out times at which there is not one value", async () => {
    const at = (index: number, text: string): [number, string] => [now / 1000 + 60 * index, text];
    server.answer = matrix([at(0, "1"), at(1, "NaN"), at(2, "3")], [at(2, "5"), at(3, "+Inf"), at(4, "4")]);
    expect(await prometheus.range("shop", "main", query, now, now + 4 * minute, minute)).toEqual([
      ...[
        [now, 1],
        [now + 4 * minute, 4],
      ],
    ]);
    server.answer = matrix();
    expect(await ranged(1)).toEqual([]);
    server.answer = matrix([at(0, "1")], [at(0, "2")]);
    expect(await messageOf(ranged(1))).toContain("answers with 2 series");
    server.answer = vector({ value: point });
    expect(await messageOf(ranged(1))).toContain("answers a range with a vector");
  });

  it("takes no longer in all than it may", async () => {
    const late = new AbortController();
    within.mockImplementation((_, run) => run(late.signal));
    server.answer = () => late.abort(new DOMException("late", "TimeoutError"));
    const asked = prometheus.range("shop", "main", query, now, now + minute, minute, { timeoutSeconds: 0.0503 });
    expect(await messageOf(asked)).toContain("gave no answer in time");
    // Neither Prometheus nor a timer takes a part of its unit.
    expect(server.asked[0]?.parameters.timeout).toBe("1s");
    expect(Number.isInteger(within.mock.lastCall?.[0])).toBe(true);
    expect(within.mock.lastCall?.[0]).toBeLessThanOrEqual(51);
  });
});

describe("servers", () => {
  it("are asked with what the Secret says, below their path", async () => {
    entries = {
      main: `url: ${server.url}/prometheus/\ninsecure: true\nbearer_token: |\n  abc.def\n`,
      basic: stringify({ url: server.url, insecure: true, basic_auth: { username: "ann", password: "p: ä" } }),
    };
    await ask("main", query);
    await ask("basic", query);
    expect(server.asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/prometheus/api/v1/query", "Bearer abc.def"],
      ["/api/v1/query", `Basic ${Buffer.from("ann:p: ä").toString("base64")}`],
    ]);
  });

  it("are asked for the namespaces in their list only, and others learn no name of theirs", async () => {
    entries = {
      main: stringify({ url: server.url, namespaces: ["shop"] }),
      eu: `url: ${server.url}`,
      // Nobody knows for whom it was meant.
      secret: stringify({ url: "ftp://prometheus", namespaces: ["shop"] }),
    };
    expect(await ask("main", query)).toBe(1);
    const message =
      "is not known, there are eu; use one of those, or have an admin name it for namespace blog in " +
      "Secret pepr-system/mlscaler-prometheus";
    expect(await prometheus.fault("blog", { server: "nowhere", query })).toEqual({ text: message, warned: true });
    expect(await messageOf(ask("main", query, "blog"))).toBe(`${named} ${message}`);
    expect(await prometheus.fault("blog", { server: "main", query })).toEqual({ text: message, warned: true });
    expect(await prometheus.fault("shop", { server: "main", query })).toBeUndefined();
    expect(await messageOf(prometheus.range("blog", "main", query, now, now, minute))).toContain("is not known");
    expect(server.asked).toHaveLength(1);
  });

  it("with a namespace_label are asked for series of the namespace only", async () => {
    entries = { main: stringify({ url: server.url, namespace_label: "ns" }) };
    await ask("main", "sum(up)");
    await ask("main", 'sum(up{ns="shop"})', "blog");
    server.answer = data("matrix", []);
    await prometheus.range("shop", "main", "a + b", now, now, minute);
    expect(server.asked.map(({ parameters }) => parameters.query)).toEqual([
      'sum(up{ns="shop"})',
      'sum(up{ns="blog",ns="shop"})',
      'a{ns="shop"} + b{ns="shop"}',
    ]);
    const text =
      "reads only series of namespace shop: info() is not supported at character 1 of the query; correct the query";
    expect(await messageOf(ask("main", "info(up)"))).toBe(`Prometheus metric info(up): server main ${text}`);
    expect(await prometheus.fault("shop", { server: "main", query: "info(up)" })).toEqual({ text, warned: false });
    expect(server.asked).toHaveLength(3);
  });

  it("tell nothing of the addresses behind them", async () => {
    const words =
      'dial tcp 10.1.2.3:10901: Addr: thanos-store.eu.internal:10901, "http://10.0.0.7/x" [fd00::1]:9090 down';
    for (const answer of [failure(422, "execution", words), (response => void response.end(words)) as Answer]) {
      server.answer = answer;
      const message = await messageOf(ask("main", `up + ${server.asked.length}`));
      expect(message).toContain("dial tcp …");
      expect(message).not.toMatch(/10\.|internal|http:|fd00/);
    }
    server.answer = failure(400, "bad_data", 'invalid parameter "query": 1:5: parse error');
    expect(await messageOf(ask("main", "x"))).toContain("1:5: parse error");
  });

  it("are not known without their Secret", async () => {
    entries = undefined;
    expect(await messageOf(new Prometheus(api, new Turns()).query("shop", "eu", query))).toContain(
      "is not known, there is none for namespace shop; ",
    );
  });

  it("whose entry is wrong say which field and what is allowed, and nothing of what is in it", async () => {
    entries = { main: stringify({ url: "http://user:hunter2@prometheus" }) };
    const message = await messageOf(ask("main", query));
    expect(message).toBe(
      `${named} cannot be queried: key main of Secret pepr-system/mlscaler-prometheus: url must be http:// or https://, a host, and no user, query or fragment; an admin has to correct it`,
    );
  });

  it("are looked up again after 30 s, and what is new or other counts then", async () => {
    await ask("main", query);
    const clock = vi.spyOn(performance, "now");
    const begun = performance.now();
    const at = (seconds: number): void => void clock.mockReturnValue(begun + seconds * 1000);
    entries = { main: `url: ${server.url}/other`, eu: `url: ${server.url}` };
    at(29);
    await ask("main", query);
    expect(await messageOf(ask("eu", query))).toContain("is not known");
    at(31);
    await Promise.all([ask("main", query), ask("eu", query)]);
    expect(server.asked.map(({ path }) => path)).toEqual([
      ...["/api/v1/query", "/api/v1/query"],
      ...["/other/api/v1/query", "/api/v1/query"],
    ]);
    expect(api.calls).toHaveLength(2);
  });

  it("stay known while the API server does not answer, and not when it says no", async () => {
    await ask("main", query);
    const clock = vi.spyOn(performance, "now");
    const begun = performance.now();
    clock.mockReturnValue(begun + 40_000);
    entries = broken();
    expect(await ask("main", query)).toBe(1);
    clock.mockReturnValue(begun + 80_000);
    entries = forbidden();
    expect(await messageOf(ask("main", query))).toBe(
      `${named} is not known, as Secret pepr-system/mlscaler-prometheus cannot be read: forbidden; apply dist/install again`,
    );
    await expect(prometheus.fault("shop", { server: "main", query })).rejects.toBeInstanceOf(ApiError);
    // Not by each of a thousand MLScalers.
    expect(api.calls).toHaveLength(3);
  });
});

describe("a certificate", () => {
  let secure: PrometheusServer;
  let elsewhere: PrometheusServer;

  beforeAll(async () => {
    secure = await new PrometheusServer(await servingCertificate("127.0.0.1")).start();
    elsewhere = await new PrometheusServer(await servingCertificate("127.0.0.9")).start();
  });
  afterAll(async () => {
    await secure.stop();
    await elsewhere.stop();
  });

  it("is trusted by its authority, or not looked at", async () => {
    entries = {
      main: stringify({ url: secure.url, ca: secure.tls?.cert }),
      any: stringify({ url: elsewhere.url, insecure_skip_verify: true }),
    };
    expect(await ask("main", query)).toBe(1);
    expect(await ask("any", query)).toBe(1);
  });

  // prettier-ignore
  it.each<[string, () => object, string]>([
    ["nobody knows", () => ({ url: secure.url }), "has a certificate that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); give who signed it as ca"],
    ["is for another name", () => ({ url: elsewhere.url, ca: elsewhere.tls?.cert }), "has a certificate for another name; have its url be that name, or set insecure_skip_verify"],
    ["is not there", () => ({ url: server.url.replace("http:", "https:") }), "fails the TLS handshake (EPROTO); see whether its url is http or https"],
  ])("that %s is said to be so", async (_, entry, problem) => {
    entries = { main: stringify(entry()) };
    expect(await messageOf(ask("main", query))).toBe(`${named} ${problem}`);
  });
});

describe("an entry of the Secret", () => {
  const url = "https://prometheus:9090";
  const urlFault = "url must be http:// or https://, a host, and no user, query or fragment";

  // prettier-ignore
  it.each<[string, string, string]>([
    ["is not YAML", "insecure_skip_verify: true\nurl: [hunter2", "line 2 is not YAML"],
    ["is no mapping", "hunter2", "url must be text"],
    ["has an alias", "url: *hunter2", "url must be text"],
    ["has no url", "bearer_token: hunter2", "url must be text: https://prometheus.monitoring:9090"],
    ["has another scheme", "url: ftp://hunter2", urlFault],
    ["has a user in its url", "url: https://hunter2@prometheus", urlFault],
    ["has a query in its url", "url: https://prometheus?token=hunter2", urlFault],
    ["has no such field", `url: ${url}\nhunter2: 1`, "it has fields that are not known; use url, ca, "],
    ["has no certificate", `url: ${url}\nca: hunter2`, "ca must be certificates in PEM"],
    ["has a broken certificate", `url: ${url}\nca: "-----BEGIN CERTIFICATE-----\\nhunter2\\n-----END CERTIFICATE-----"`, "ca must be certificates in PEM"],
    ["has a token of two lines", `url: ${url}\nbearer_token: "hunter2\\nx"`, "bearer_token must be letters"],
    ["has a number for a token", `url: ${url}\nbearer_token: 17`, "bearer_token must be text"],
    ["has half a user", `url: ${url}\nbasic_auth: {username: hunter2}`, "basic_auth.password must be text; put it in quotes"],
    ["has a user with a colon", `url: ${url}\nbasic_auth: {username: "hunter2:", password: x}`, "basic_auth.username must not be empty, nor have a colon in it"],
    ["has two ways in", `url: ${url}\nbearer_token: hunter2\nbasic_auth: {username: a, password: b}`, "bearer_token and basic_auth are given, use one of them"],
    ["has a token over http", "url: http://prometheus\nbearer_token: hunter2", "clear text, as url is http://"],
    ["has a password over http", "url: http://prometheus\nbasic_auth: {username: hunter2, password: x}", "use https://, or set insecure to true"],
    ["has a namespace and no list", `url: ${url}\nnamespaces: hunter2`, "namespaces must be a list of names"],
    ["has no names of namespaces", `url: ${url}\nnamespaces: ["hunter2*"]`, "namespaces must be a list of names"],
    ["has no label", `url: ${url}\nnamespace_label: hunter2-x`, "namespace_label must be letters, digits and _"],
    // A parser that recursed into each bracket ended the process.
    ["has very many brackets", `url: ${url}\nhunter2: ${"[".repeat(100_000)}`, "it has more than 1000 parts"],
    ["has keys that are no text", `url: ${url}\n? ? hunter2\n: a`, "it has fields that are not known"],
    ["is very long", `url: ${url}\nca: hunter2${"a".repeat(1 << 18)}`, "characters, where 262144 are allowed"],
    ["has no boolean", `url: ${url}\ninsecure_skip_verify: hunter2`, "insecure_skip_verify must be true or false"],
  ])("that %s is told to be so, without what it holds", (_, text, problem) => {
    const read = serverOf(text);
    const fault = "fault" in read ? read.fault : "";
    expect(fault).toContain(problem);
    expect(fault).not.toContain("hunter2");
  });
});

describe("the source", () => {
  const read = (): Promise<unknown> =>
    readMetric(
      { type: "Prometheus", prometheus: { query, target: { type: "AverageValue", averageValue: 1 }, server: "main" } },
      { namespace: "shop", selector: "app=web", now },
      metricsApis(api, new Discovery(api), prometheus),
    );

  it("counts in thousandths", async () => {
    server.answer = value("0.30000000000000004");
    expect(await read()).toEqual({ milli: 300 });
  });

  it("takes no value below 0 for a load", async () => {
    server.answer = value("-0.5");
    expect(await messageOf(read())).toBe(
      `Prometheus metric ${query}: its value is -0.5, and no load is below 0; see what it subtracts`,
    );
  });
});

describe("a query for people", () => {
  it("is one line of 80 letters", () => {
    expect(queryText(" sum(\n  up\n) ")).toBe("sum( up )");
    expect(queryText("😀".repeat(81))).toBe(`${"😀".repeat(79)}…`);
    expect(queryText("x".repeat(80))).toBe("x".repeat(80));
  });
});
