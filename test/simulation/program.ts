import { EventEmitter } from "node:events";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import os from "node:os";
import crypto from "node:crypto";
import perfHooks from "node:perf_hooks";
import { pepr } from "../../package.json";
import { Scope } from "./bundle";
import { Clock, epoch } from "./clock";
import { fraction, uuid } from "./random";
import { timersOf } from "./timers";

/** Settings of a program. */
interface Start {
  /** One word, which is also its host name. */
  name: string;
  seed: string;
  clock: Clock;
  /** The host name of the API server for this program. */
  apiHost: string;
  environment: Record<string, string>;
  /** The CPU time of a step of a sync; by default none. Only where no other program runs. */
  stepMilliseconds?: number;
  /** Called with the exit code, or with the signal that ended the program. */
  ended: (how: string) => void;
}

const kubeConfigPath = "/simulation/kubeconfig";

/**
 * The running module. Like a process it has its own environment, signals, clock, timers and exit. It accesses Node
 * only through the modules that it requires and the globals, which this class provides.
 */
export class Program {
  readonly name: string;
  #ended = false;
  /** The offset of the time of day in milliseconds. It does not affect monotonic time. */
  wallOffset = 0;
  readonly #signals = new EventEmitter();
  readonly #start: Start;

  constructor(start: Start, bundle: (scope: Scope) => void) {
    this.#start = start;
    this.name = start.name;
    bundle(this.#scope());
  }

  /** True while it runs. */
  get alive(): boolean {
    return !this.#ended;
  }

  /** Sends SIGTERM to it. */
  terminate(): void {
    this.#signals.emit("SIGTERM", "SIGTERM");
  }

  /** Ends it at once, like SIGKILL. */
  kill(): void {
    this.#end("SIGKILL");
  }

  /** Passes an unhandled error to it, as Node does. */
  unhandled(what: "rejection" | "exception", reason: unknown): void {
    const event = what === "rejection" ? "unhandledRejection" : "uncaughtException";
    if (this.#signals.listenerCount(event) > 0) this.#signals.emit(event, reason);
    else this.#end(`unhandled ${what}`);
  }

  #end(how: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#start.clock.touch();
    this.#start.ended(how);
  }

  #scope(): Scope {
    const { clock, environment } = this.#start;
    const { timers, promises } = timersOf(clock, () => this.alive);
    const performance = new Proxy(perfHooks.performance, {
      get: (real, field) => (field === "now" ? () => clock.now : bound(real, field)),
    });
    const own = {
      ...timers,
      Date: dateOf(() => Math.floor(epoch + clock.now + this.wallOffset)),
      Math: Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(Math),
          random: { value: () => this.#draw("random") },
        },
      ),
      performance,
      AbortSignal: signalOf(clock, () => this.alive),
      WebAssembly: { ...ownFields(WebAssembly), compile: compileAtOnce, instantiate: instantiateAtOnce },
      process: this.#process(environment),
      crypto: undefined as unknown,
    };
    const cryptoOf = { ...crypto, randomUUID: () => this.#uuid() };
    own.crypto = new Proxy(crypto.webcrypto, {
      get: (real, field) => (field === "randomUUID" ? cryptoOf.randomUUID : bound(real, field)),
    });
    // Symbols on this object are local: undici stores its dispatcher there, zod its registry.
    const global: object = new Proxy(own, {
      has: (kept, field) => Reflect.has(kept, field) || Reflect.has(globalThis, field),
      get: (kept, field) =>
        (Reflect.has(kept, field) ? Reflect.get(kept, field) : Reflect.get(globalThis, field)) as unknown,
    });
    const modules: Record<string, unknown> = {
      process: own.process,
      timers,
      "timers/promises": promises,
      perf_hooks: { ...perfHooks, performance },
      crypto: cryptoOf,
      os: { ...os, hostname: () => this.name },
      fs: this.#files(),
      https: { ...https, createServer: (_options: unknown, listener?: http.RequestListener) => this.#serve(listener) },
    };
    modules["fs/promises"] = (modules.fs as typeof fs).promises;
    const real = createRequire(__filename);
    const require = (name: string): unknown => modules[name.replace(/^node:/, "")] ?? (real(name) as unknown);
    const module = { exports: {} };
    const paths = { __filename: "/app/pepr.js", __dirname: "/app" };
    return { ...own, ...paths, global, globalThis: global, require, module, exports: module.exports };
  }

  /** Random numbers depend only on the time of the call, and on the order of calls at the same time. */
  #drawn = { at: -1, count: 0 };
  #place(): number[] {
    const { now } = this.#start.clock;
    this.#drawn = this.#drawn.at === now ? { at: now, count: this.#drawn.count + 1 } : { at: now, count: 0 };
    return [this.#drawn.at, this.#drawn.count];
  }

  #draw(what: string): number {
    return fraction(this.#start.seed, this.name, what, ...this.#place());
  }

  #uuid(): string {
    return uuid(this.#start.seed, this.name, ...this.#place());
  }

  /** The server that Pepr creates. It never listens. */
  #serve(listener?: http.RequestListener): http.Server {
    const server = http.createServer({ requestTimeout: 0, headersTimeout: 0 }, listener);
    // Node's check of its connections would keep the program in memory.
    server.close();
    server.listen = (() => {
      process.nextTick(() => server.emit("listening"));
      return server;
    }) as typeof server.listen;
    return server;
  }

  #process(environment: Record<string, string>): object {
    const { clock, stepMilliseconds = 0 } = this.#start;
    const signals = this.#signals;
    const own: Record<string, unknown> = {
      env: {
        ...{ KUBECONFIG: kubeConfigPath, SSL_KEY_PATH: "/simulation/tls", SSL_CERT_PATH: "/simulation/tls" },
        // Keys are random, and a program has no TLS.
        MLSCALER_CERTIFICATES: "Provided",
        ...{ ...pepr.env, PEPR_API_PATH: "review", LOG_LEVEL: "silent", HOSTNAME: this.name, ...environment },
      },
      exit: (code = 0) => this.#end(`exit ${code}`),
      uptime: () => clock.now / 1000,
      // The CPU of a real process would differ with each run. A step reads it before its work and after it.
      cpuUsage: () => {
        if (stepMilliseconds > 0) clock.spend(stepMilliseconds / 2);
        return { user: clock.now * 1000, system: 0 };
      },
      hrtime: Object.assign(() => [Math.floor(clock.now / 1000), Math.floor((clock.now % 1000) * 1e6)], {
        bigint: () => BigInt(Math.floor(clock.now * 1e6)),
      }),
      send: undefined,
    };
    const listening = ["on", "once", "off", "addListener", "removeListener", "removeAllListeners", "emit", "listeners"];
    for (const name of listening) own[name] = bound(signals, name);
    return new Proxy(process, {
      get: (real, field) => (Object.hasOwn(own, field) ? own[String(field)] : bound(real, field)),
      set: (_real, field, value) => {
        own[String(field)] = value;
        return true;
      },
    });
  }

  /** The real file system, except the files of a pod, which exist only in this program. */
  #files(): typeof fs {
    const kubeConfig = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "simulation",
      clusters: [{ name: "simulation", cluster: { server: `https://${this.#start.apiHost}:6443` } }],
      users: [{ name: "simulation", user: {} }],
      contexts: [{ name: "simulation", context: { cluster: "simulation", user: "simulation" } }],
    };
    const files: Record<string, string> = { [kubeConfigPath]: JSON.stringify(kubeConfig), "/simulation/tls": "" };
    const isOurs = (path: unknown): path is string =>
      typeof path === "string" && /^\/(simulation|var\/run)\//.test(path);
    const readFileSync = (path: string, ...options: never[]): unknown => {
      if (!isOurs(path)) return fs.readFileSync(path, ...options);
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file: ${path}`), { code: "ENOENT" });
      return options.length > 0 ? text : Buffer.from(text);
    };
    // The promise settles, even on an error, without a turn of the event loop.
    const readFile = (path: string, ...options: never[]): Promise<unknown> =>
      isOurs(path)
        ? new Promise(resolve => resolve(readFileSync(path, ...options)))
        : fs.promises.readFile(path, ...options);
    const existsSync = (path: string): boolean => (isOurs(path) ? path in files : fs.existsSync(path));
    return { ...fs, readFileSync, existsSync, promises: { ...fs.promises, readFile } } as unknown as typeof fs;
  }
}

/** The bound functions by object, and by the function that they bind. */
const allBound = new WeakMap<object, WeakMap<object, unknown>>();

/** A field of `object`, bound to it when it is a function, because builtins require their own `this`. */
function bound(object: object, field: string | symbol): unknown {
  const value: unknown = Reflect.get(object, field, object);
  if (typeof value !== "function") return value;
  const ofObject = allBound.get(object) ?? new WeakMap<object, unknown>();
  allBound.set(object, ofObject);
  const known = ofObject.get(value) ?? (value.bind(object) as unknown);
  ofObject.set(value, known);
  return known;
}

const ownFields = (object: object): object =>
  Object.fromEntries(Object.getOwnPropertyNames(object).map(name => [name, Reflect.get(object, name)]));

/** Date with another now (epoch milliseconds). */
const dateOf = (now: () => number): DateConstructor =>
  new Proxy(Date, {
    construct: (real, values: unknown[]) => Reflect.construct(real, values.length > 0 ? values : [now()]) as object,
    apply: () => new Date(now()).toString(),
    get: (real, field) => (field === "now" ? now : (Reflect.get(real, field) as unknown)),
  });

const timedOut = new DOMException("The operation was aborted due to timeout", "TimeoutError");

/** AbortSignal with a virtual timeout. */
const signalOf = (clock: Clock, alive: () => boolean): typeof AbortSignal =>
  new Proxy(AbortSignal, {
    get: (real, field) => {
      if (field !== "timeout") return bound2(real, field);
      return (milliseconds: number) => {
        const controller = new AbortController();
        clock.after(milliseconds, () => alive() && controller.abort(timedOut));
        return controller.signal;
      };
    },
  });

/** Like `bound`, but leaves `prototype` unchanged. */
const bound2 = (object: object, field: string | symbol): unknown =>
  field === "prototype" ? Reflect.get(object, field) : bound(object, field);

const compiled = new Map<number, WebAssembly.Module>();

/** V8 compiles in other threads, which takes an unknown time. The length identifies undici's parsers. */
function compileAtOnce(bytes: Uint8Array): Promise<WebAssembly.Module> {
  const module = compiled.get(bytes.byteLength) ?? new WebAssembly.Module(bytes as unknown as ArrayBuffer);
  compiled.set(bytes.byteLength, module);
  return Promise.resolve(module);
}

const instantiateAtOnce = (module: WebAssembly.Module, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> =>
  Promise.resolve(new WebAssembly.Instance(module, imports));
