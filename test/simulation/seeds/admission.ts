import { Clock } from "../clock";
import { apiVersionOf, kindOf } from "../kinds";
import { at, Fields, isFields, Stored } from "../objects";
import { Program } from "../program";
import { Trace } from "../trace";

/** A write of an MLScaler that the API server has reviewed before it stores it. */
interface Write {
  /** The user or the process that writes. */
  by: string;
  namespace: string;
  name: string;
  /** The object as it would be stored. */
  object: Fields;
  /** The stored object; absent when the write creates one. */
  old?: Stored;
  /** Whether its spec was made in a valid way. */
  isValid: boolean;
}

/** What became of a review. */
export interface Reviewed extends Write {
  /** When the API server asked, in milliseconds since the start. */
  at: number;
  /** Whether it had an answer in time. Without one the write passes: failurePolicy is Ignore. */
  isAnswered: boolean;
  isAllowed: boolean;
  /** Why it was denied, and the warnings. */
  texts: string[];
}

/** The timeout of the webhook, in milliseconds. */
const timeoutMilliseconds = 3_000;

const scalers = kindOf("MLScaler");

/** The admission process of a cluster, and the API server's way to it. */
export class Admission {
  /** When the running process was started (ms); absent when none runs. */
  startedAt?: number | undefined;
  /** How much longer a review is on its way, in seconds; Infinity when it never arrives. */
  delay = 0;
  /** Called with each review. */
  observer?: (reviewed: Reviewed) => void;
  #program?: Program | undefined;
  #reviews = 0;

  constructor(
    readonly clock: Clock,
    readonly trace: Trace,
    /** Starts another process; `ended` is called when it ends. */
    readonly launch: (ended: () => void) => Program,
  ) {}

  /** The name of the running process. */
  get name(): string {
    return this.#program?.name ?? "admission";
  }

  /** Starts the process, unless one runs. */
  start(): void {
    if (this.#program) return;
    this.startedAt = this.clock.now;
    const program = this.launch(() => {
      if (this.#program === program) this.#program = this.startedAt = undefined;
    });
    this.#program = program;
  }

  /** Starts a new process. One that drains its connections is still there. */
  restart(): void {
    this.kill();
    this.start();
  }

  /** Ends the process at once. */
  kill(): void {
    this.#program?.kill();
  }

  /** Asks the process to end. It still answers for a while. */
  terminate(): void {
    this.startedAt = undefined;
    this.#program?.terminate();
  }

  /** Has a write reviewed, as the API server does. */
  async review(write: Write): Promise<Reviewed> {
    const sent = this.clock.now;
    const answer = await this.#ask(write);
    const response = at(answer, "response");
    const isAnswered = typeof at(response, "allowed") === "boolean";
    const found = [at(response, "status.message"), at(response, "warnings")].flat();
    const reviewed: Reviewed = {
      ...{ ...write, at: sent, isAnswered, isAllowed: at(response, "allowed") !== false },
      texts: found.filter(text => typeof text === "string"),
    };
    const { by, namespace, name, old } = write;
    const { isAllowed, texts } = reviewed;
    const what = `REVIEW ${old ? "UPDATE" : "CREATE"} ${namespace}/${name} of ${by}`;
    this.trace.add({ at: sent, by: "admission", what, body: { isAnswered, isAllowed, texts } });
    this.observer?.(reviewed);
    return reviewed;
  }

  /** The answer of the process; undefined when there is none in time. */
  #ask({ namespace, name, object, old }: Write): Promise<unknown> {
    const { clock } = this;
    const uid = `review-${++this.#reviews}`;
    const { group, version, kind, plural } = scalers;
    const whole = (content: Fields): Fields => ({ ...content, apiVersion: apiVersionOf(scalers), kind });
    const request = {
      ...{ uid, kind: { group, version, kind }, resource: { group, version, resource: plural }, name, namespace },
      ...{
        operation: old ? "UPDATE" : "CREATE",
        userInfo: {},
        object: whole(object),
        oldObject: old ? whole(old) : null,
      },
    };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
    return new Promise(resolve => {
      const timeout = clock.after(timeoutMilliseconds, () => answered(undefined), `REVIEW ${uid}`);
      const answered = (answer: unknown): void => {
        timeout.canceled = true;
        resolve(answer);
      };
      const arrives = (): void => {
        if (!this.#program) return answered(undefined);
        this.#program.review(review).then(
          // The client of the API server waits and asks again (client-go, rest/with_retry.go).
          ({ answer, retryAfter }) =>
            retryAfter === undefined
              ? answered(answer)
              : void clock.after(1000 * retryAfter, () => timeout.canceled || arrives(), `REVIEW ${uid} again`),
          () => answered(undefined),
        );
      };
      if (this.delay === 0) arrives();
      else if (this.delay < Infinity) clock.after(1000 * this.delay, arrives, `REVIEW ${uid} arrives`);
    });
  }
}

/** The spec of an object that is to be stored. */
export const specOf = ({ object }: Pick<Write, "object">): Fields => (isFields(object.spec) ? object.spec : {});
