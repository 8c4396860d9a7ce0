import "reflect-metadata";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, MockInstance, vi } from "vitest";
import { stringify } from "yaml";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import { Discovery } from "../../../../capabilities/kubernetes/discovery";
import { metricsApis } from "../../../../capabilities/mlscaler/metrics/apis";
import { readMetric } from "../../../../capabilities/mlscaler/metrics/registry";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { queryText } from "../../../../capabilities/mlscaler/metrics/query-text";
import { serverOf } from "../../../../capabilities/mlscaler/metrics/prometheus/server";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { broken, FakeApi, forbidden } from "../../fake-api";
import { Answer, apiWith, certificateFor, data, failure, json, PrometheusServer, value } from "./prometheus-server";

const now = 1_767_225_600_000;
const minute = 60_000;
const query = 'sum(rate(http_requests_total{app="web"}[1m]))';
const named = `Prometheus metric ${query}: server main`;

let server: PrometheusServer;
let entries: Record<string, string> | Error | undefined;
let api: FakeApi;
let prometheus: Prometheus;
let timeout: MockInstance<typeof AbortSignal.timeout>;

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
  prometheus = new Prometheus(api);
  // However slow the machine is that the tests run on.
  timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
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
    expect(await prometheus.query("main", query, now)).toBe(123.456);
    expect(server.asked).toMatchObject([
      {
        method: "GET",
        path: "/api/v1/query",
        parameters: { query, time: "1767225600", timeout: "5s", partial_response: "false" },
      },
    ]);
  });

  it.each<[string, Answer, number]>([
    ["a scalar", data("scalar", [now / 1000, "7"]), 7],
    ["a number in another notation", value("1e+06"), 1_000_000],
    ["0", value("0"), 0],
    ["a value that is almost five minutes old", value("3", 299), 3],
  ])("takes %s", async (_, answer, expected) => {
    server.answer = answer;
    expect(await prometheus.query("main", query, now)).toBe(expected);
  });

  it.each<[string, Answer, string]>([
    [
      "no series",
      vector(),
      'has no series for it; see what the query gives in Prometheus, and where none means 0, append "or vector(0)"',
    ],
    ["NaN", value("NaN"), "answers with the value NaN; see what the query divides by"],
    ["+Inf", value("+Inf"), "answers with the value +Inf; see what the query divides by"],
    ["-Inf", value("-Inf"), "answers with the value -Inf; see what the query divides by"],
    ["no number", value(""), "answers with the value ; see what the query divides by"],
    [
      "many series",
      vector({ value: point }, { value: point }, { value: point }),
      "answers with 3 series, not with one; sum them up: sum(…)",
    ],
    [
      "a histogram",
      vector({ histogram: [now / 1000, {}] }),
      "answers with a histogram, not with a number; put histogram_quantile() … around it",
    ],
    [
      "a matrix",
      data("matrix", [{ values: [point] }]),
      "answers with a range of values, not with one; put rate(), avg_over_time() … around it",
    ],
    ["a string", data("string", [now / 1000, "x"]), "answers with a string; the query must be of a number"],
    [
      "an old value",
      value("3", 301),
      "has no newer value than of 2025-12-31T23:54:59.000Z, where 5 min are allowed; see whether it still gets them, and the clocks",
    ],
    [
      "what Prometheus says of a wrong query",
      failure(400, "bad_data", 'invalid parameter "query": 1:5: parse error'),
      'answers with HTTP 400: bad_data: invalid parameter "query": 1:5: parse error; correct the query',
    ],
    [
      "what Prometheus says of itself",
      failure(503, "unavailable", "out of\n memory"),
      "answers with HTTP 503: unavailable: out of memory; see its log",
    ],
    [
      "a page",
      response => response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Log in</html>"),
      "answers with an HTML page, not with JSON; see whether its url is that of Prometheus' API",
    ],
    [
      "a page of a proxy",
      response => response.writeHead(502).end("\n<html>Bad gateway</html>"),
      "answers with HTTP 502 and an HTML page; see whether it runs, and its url",
    ],
    [
      "words",
      response => response.writeHead(404).end("404 page not found\n"),
      'answers with HTTP 404 and "404 page not found"; see whether it runs, and its url',
    ],
    [
      "other JSON",
      json({ kind: "Status" }),
      "answers with HTTP 200 in an unknown form; see whether its url is that of Prometheus",
    ],
    [
      "another result",
      data("vector", [{ value: ["now", 1] }]),
      "answers in an unknown form: data.result.0.value.0: Invalid input: expected number, received string; see whether its url is that of Prometheus' API",
    ],
    [
      "a redirect",
      response => response.writeHead(302, { Location: "https://login" }).end(),
      "redirects (HTTP 302), which is not followed; have its url be the one that answers",
    ],
    [
      "401",
      response => response.writeHead(401).end("Unauthorized"),
      "refuses the credentials (HTTP 401); see its bearer_token or basic_auth",
    ],
    [
      "403 in JSON",
      json({ message: "no" }, 403),
      "refuses the credentials (HTTP 403); see its bearer_token or basic_auth",
    ],
    [
      "a part of the series",
      json({ status: "success", isPartial: true, data: { resultType: "scalar", result: point } }),
      "answers with a part of the series only; see whether its storages run",
    ],
    [
      "what is too large",
      response => response.writeHead(200).end(Buffer.alloc((1 << 20) + 1, " ")),
      "answers with more than 1 MiB; have the query come to one value: sum(…)",
    ],
    [
      "what is cut off",
      response => {
        response.writeHead(200, { "Content-Length": 1000 }).write('{"status":"succ');
        setTimeout(() => response.destroy(), 10);
      },
      "cut off its answer; see its log, and those of proxies before it",
    ],
    [
      "what ends too early",
      response => response.writeHead(200).end('{"status":"succ'),
      'answers with "{"status":"succ", not with JSON; see whether its url is that of Prometheus\' API',
    ],
    [
      "nothing, and hangs up",
      response => response.destroy(),
      "cannot be reached (socket hang up); see whether it runs, and its url",
    ],
  ])("fails on %s, and says why", async (_, answer, problem) => {
    server.answer = answer;
    expect(await messageOf(prometheus.query("main", query, now))).toBe(`${named} ${problem}`);
  });

  it("gives a server up that does not answer, and one whose answer does not end", async () => {
    timeout.mockImplementation(() => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new DOMException("late", "TimeoutError")), 50);
      return controller.signal;
    });
    const late = `${named} gave no answer in time; see its load, and what the query costs`;
    server.answer = () => undefined;
    expect(await messageOf(prometheus.query("main", query, now))).toBe(late);
    server.answer = response => void response.writeHead(200).write("{");
    expect(await messageOf(prometheus.query("main", "up", now))).toContain("gave no answer in time");
    expect(await messageOf(prometheus.query("main", "down", now))).toContain("gave no answer in time");
    const asked = server.asked.length;
    // Who waits for it would hold up others.
    expect(await messageOf(prometheus.query("main", "other", now))).toContain("did not answer 3 times");
    expect(server.asked).toHaveLength(asked);
    expect(timeout).toHaveBeenCalledWith(5000);
  });

  it("says of a server that is not there that it cannot be reached", async () => {
    await server.stop();
    expect(await messageOf(prometheus.query("main", query, now))).toMatch(
      /cannot be reached \(connect ECONNREFUSED .+\)/,
    );
    await server.start();
  });

  it("is asked once for all who ask the same at a time, and the answer is told to all", async () => {
    server.answer = value("5");
    const both = [prometheus.query("main", query, now), prometheus.query("main", query, now + 20)];
    expect(await Promise.all(both)).toEqual([5, 5]);
    expect(await prometheus.query("main", "up", now)).toBe(5);
    expect(server.asked.map(({ parameters }) => parameters.query)).toEqual([query, "up"]);
  });

  it("is sent as a form when it is long, over the same connection", async () => {
    const long = `${query} + ${"x".repeat(4000)}`;
    await prometheus.query("main", query, now);
    await prometheus.query("main", long, now);
    expect(server.asked[1]).toMatchObject({ method: "POST", path: "/api/v1/query", parameters: { query: long } });
  });

  it("is asked of eight at once at most", async () => {
    let [open, most] = [0, 0];
    server.answer = (response, asked) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        value("1")(response, asked);
      }, 20);
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => prometheus.query("main", `q${index}`, now)));
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(1);
  });
});

describe("a range", () => {
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
    const values = await prometheus.range("main", query, from, now, minute);
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
    const values = await prometheus.range("main", query, from, now, minute);
    expect(values.map(([at]) => at)).toEqual(Array.from({ length: 10_000 }, (_, index) => from + index * minute));
    expect(server.asked.length).toBeLessThan(8);
  });

  it("fails where even little is too much, and where the query is wrong at once", async () => {
    server.answer = failure(422, "execution", "the query time range exceeds the limit");
    expect(await messageOf(prometheus.range("main", query, now - 10_000 * minute, now, minute))).toContain(
      "HTTP 422: execution: the query time range exceeds the limit",
    );
    expect(server.asked.length).toBeLessThan(12);
    server.asked.length = 0;
    server.answer = failure(429, "too_many_requests", "the request has been rejected: rate limit exceeded");
    expect(await messageOf(prometheus.range("main", query, now - 10_000 * minute, now, minute))).toContain("HTTP 429");
    expect(server.asked).toHaveLength(1);
    server.asked.length = 0;
    server.answer = failure(400, "bad_data", "parse error");
    expect(await messageOf(prometheus.range("main", query, now - 10_000 * minute, now, minute))).toContain(
      "parse error",
    );
    expect(server.asked).toHaveLength(1);
  });

  it("leaves out times at which there is not one value", async () => {
    const at = (index: number): number => now / 1000 + 60 * index;
    server.answer = matrix(
      [
        [at(0), "1"],
        [at(1), "NaN"],
        [at(2), "3"],
      ],
      [
        [at(2), "5"],
        [at(3), "+Inf"],
        [at(4), "4"],
      ],
    );
    expect(await prometheus.range("main", query, now, now + 4 * minute, minute)).toEqual([
      [now, 1],
      [now + 4 * minute, 4],
    ]);
    server.answer = matrix();
    expect(await prometheus.range("main", query, now, now + minute, minute)).toEqual([]);
    server.answer = matrix([[at(0), "1"]], [[at(0), "2"]]);
    expect(await messageOf(prometheus.range("main", query, now, now + minute, minute))).toContain(
      "answers with 2 series",
    );
    server.answer = vector({ value: point });
    expect(await messageOf(prometheus.range("main", query, now, now + minute, minute))).toContain(
      "answers a range with a vector",
    );
  });

  it("takes no longer in all than it may", async () => {
    timeout.mockRestore();
    server.answer = () => undefined;
    const asked = prometheus.range("main", query, now, now + minute, minute, { timeoutSeconds: 0.05 });
    expect(await messageOf(asked)).toContain("gave no answer in time");
    expect(server.asked[0]?.parameters.timeout).toBe("0.05s");
  });
});

describe("servers", () => {
  it("are asked with what the Secret says, below their path", async () => {
    entries = {
      main: `url: ${server.url}/prometheus/\nbearer_token: |\n  abc.def\n`,
      basic: stringify({ url: server.url, basic_auth: { username: "ann", password: "p: ä" } }),
    };
    await prometheus.query("main", query, now);
    await prometheus.query("basic", query, now);
    expect(server.asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/prometheus/api/v1/query", "Bearer abc.def"],
      ["/api/v1/query", `Basic ${Buffer.from("ann:p: ä").toString("base64")}`],
    ]);
  });

  it("have names, and none where there is no Secret", async () => {
    entries = { us: "url: http://us", eu: "garbage" };
    expect(await prometheus.names()).toEqual(["eu", "us"]);
    entries = undefined;
    expect(await new Prometheus(api).names()).toEqual([]);
  });

  it("that nobody named are not known, and it is told which are", async () => {
    entries = { us: `url: ${server.url}`, main: `url: ${server.url}` };
    expect(await messageOf(prometheus.query("eu", query, now))).toBe(
      `Prometheus metric ${query}: server eu is not known, there are main, us; use one of those, or have an admin name it in Secret pepr-system/mlscaler-prometheus`,
    );
    entries = undefined;
    expect(await messageOf(new Prometheus(api).query("eu", query, now))).toContain("is not known, there is none; ");
  });

  it("whose entry is wrong say which field and what is allowed, and nothing of what is in it", async () => {
    entries = { main: stringify({ url: "http://user:hunter2@prometheus" }) };
    const message = await messageOf(prometheus.query("main", query, now));
    expect(message).toBe(
      `${named} cannot be asked: key main of Secret pepr-system/mlscaler-prometheus: url must be http:// or https://, a host, and no user, query or fragment; an admin has to correct it`,
    );
  });

  it("are looked up again after 30 s, and what is new or other counts then", async () => {
    await prometheus.query("main", query, now);
    const clock = vi.spyOn(performance, "now");
    const begun = performance.now();
    const at = (seconds: number): void => void clock.mockReturnValue(begun + seconds * 1000);
    entries = { main: `url: ${server.url}/other`, eu: `url: ${server.url}` };
    at(29);
    await prometheus.query("main", query, now);
    expect(await messageOf(prometheus.query("eu", query, now))).toContain("is not known");
    at(31);
    await Promise.all([prometheus.query("main", query, now), prometheus.query("eu", query, now)]);
    expect(server.asked.map(({ path }) => path)).toEqual([
      ...["/api/v1/query", "/api/v1/query"],
      ...["/other/api/v1/query", "/api/v1/query"],
    ]);
    expect(api.calls).toHaveLength(2);
  });

  it("stay known while the API server does not answer, and not when it says no", async () => {
    await prometheus.query("main", query, now);
    const clock = vi.spyOn(performance, "now");
    const begun = performance.now();
    clock.mockReturnValue(begun + 40_000);
    entries = broken();
    expect(await prometheus.query("main", query, now)).toBe(1);
    clock.mockReturnValue(begun + 80_000);
    entries = forbidden();
    expect(await messageOf(prometheus.query("main", query, now))).toBe(
      `${named} is not known, as Secret pepr-system/mlscaler-prometheus cannot be read: forbidden; apply dist/install again`,
    );
    await expect(prometheus.names()).rejects.toBeInstanceOf(ApiError);
    // Not by each of a thousand MLScalers.
    expect(api.calls).toHaveLength(3);
  });

  it("keep their connections as long as their entry is the same", async () => {
    let connections = 0;
    const one = new Prometheus(api);
    server.onConnection(() => connections++);
    await one.query("main", "a", now);
    const clock = vi.spyOn(performance, "now");
    clock.mockReturnValue(performance.now() + 40_000);
    await one.query("main", "b", now);
    expect(connections).toBe(1);
    expect(api.calls).toHaveLength(2);
  });
});

describe("a certificate", () => {
  let secure: PrometheusServer;
  let elsewhere: PrometheusServer;

  beforeAll(async () => {
    secure = await new PrometheusServer(await certificateFor()).start();
    elsewhere = await new PrometheusServer(await certificateFor("127.0.0.9")).start();
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
    expect(await prometheus.query("main", query, now)).toBe(1);
    expect(await prometheus.query("any", query, now)).toBe(1);
  });

  it.each<[string, () => object, string]>([
    [
      "nobody knows",
      () => ({ url: secure.url }),
      "has a certificate that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); give who signed it as ca",
    ],
    [
      "is for another name",
      () => ({ url: elsewhere.url, ca: elsewhere.tls?.cert }),
      "has a certificate for another name; have its url be that name, or set insecure_skip_verify",
    ],
    [
      "is not there",
      () => ({ url: server.url.replace("http:", "https:") }),
      "does not speak TLS as we do (EPROTO); see whether its url is http or https",
    ],
  ])("that %s is said to be so", async (_, entry, problem) => {
    entries = { main: stringify(entry()) };
    expect(await messageOf(prometheus.query("main", query, now))).toBe(`${named} ${problem}`);
  });
});

describe("an entry of the Secret", () => {
  const url = "https://prometheus:9090";
  const urlFault = "url must be http:// or https://, a host, and no user, query or fragment";

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
    [
      "has a broken certificate",
      `url: ${url}\nca: "-----BEGIN CERTIFICATE-----\\nhunter2\\n-----END CERTIFICATE-----"`,
      "ca must be certificates in PEM",
    ],
    ["has a token of two lines", `url: ${url}\nbearer_token: "hunter2\\nx"`, "bearer_token must be letters"],
    ["has a number for a token", `url: ${url}\nbearer_token: 17`, "bearer_token must be text"],
    [
      "has half a user",
      `url: ${url}\nbasic_auth: {username: hunter2}`,
      "basic_auth.password must be text; put it in quotes",
    ],
    [
      "has a user with a colon",
      `url: ${url}\nbasic_auth: {username: "hunter2:", password: x}`,
      "basic_auth.username must not be empty, nor have a colon in it",
    ],
    [
      "has two ways in",
      `url: ${url}\nbearer_token: hunter2\nbasic_auth: {username: a, password: b}`,
      "bearer_token and basic_auth are given, use one of them",
    ],
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

  it.each([
    ["0.6", 600],
    ["0.30000000000000004", 300],
    ["0.0001", 1],
    ["0", 0],
    ["1e300", 2 ** 63],
  ])("counts %s in thousandths as %d", async (text, milli) => {
    server.answer = value(text);
    expect(await read()).toEqual({ milli });
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
