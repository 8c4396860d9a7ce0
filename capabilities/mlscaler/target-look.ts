import * as z from "zod";
import { Api, isStatus } from "../common/api";
import { Discovery } from "../common/discovery";
import { listPods, podOfTemplate } from "./pods";
import { Pod } from "./scaling/reading";
import { readScale, Scale, Target } from "./target";

const workloadSchema = z.object({ spec: z.object({ template: z.looseObject({}) }) });

/** The workloads whose pods are made from a template that the module may read. */
const withTemplate = /^apps\/.+/;

/** What one admission request sees of a target: each part read once at most, when it is asked for. */
export class TargetLook {
  #path?: Promise<string | undefined>;
  #scale?: Promise<Scale | undefined>;
  #pods?: Promise<Pod[]>;
  #pod?: Promise<Pod | undefined>;

  /** @param secondsLeft how long a read may take that begins now */
  constructor(
    readonly api: Api,
    readonly discovery: Discovery,
    readonly namespace: string,
    readonly target: Target,
    readonly secondsLeft: () => number,
  ) {}

  /** Its scale; undefined when there is no such kind. Throws ApiError; 404 when it is not there. */
  scale(): Promise<Scale | undefined> {
    return (this.#scale ??= this.#read(path => readScale(this.api, path, this.secondsLeft())));
  }

  /** Its pods; none when it is not there. Throws ApiError. */
  pods(): Promise<Pod[]> {
    return (this.#pods ??= ifThere(this.scale()).then(scale =>
      scale?.selector ? listPods(this.api, this.namespace, scale.selector, this.secondsLeft()) : [],
    ));
  }

  /**
   * A pod as it makes them: from its template, or where the module cannot read one, any pod that there is. Undefined
   * when neither is known. Throws ApiError, and ZodError when it is no workload.
   */
  pod(): Promise<Pod | undefined> {
    return (this.#pod ??= withTemplate.test(this.target.apiVersion)
      ? ifThere(
          this.#read(async path => {
            const found = workloadSchema.parse(await this.api.get(path, { timeoutSeconds: this.secondsLeft() }));
            return podOfTemplate(this.target.name, found.spec.template);
          }),
        )
      : this.pods().then(([pod]) => pod));
  }

  async #read<Part>(read: (path: string) => Promise<Part>): Promise<Part | undefined> {
    this.#path ??= this.discovery.pathOf(this.target, this.namespace, this.secondsLeft());
    const path = await this.#path;
    return path === undefined ? undefined : read(path);
  }
}

/** Undefined in place of what is not there. */
async function ifThere<Part>(look: Promise<Part | undefined>): Promise<Part | undefined> {
  try {
    return await look;
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}
