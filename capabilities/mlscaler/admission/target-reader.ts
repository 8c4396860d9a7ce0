import * as z from "zod";
import { Api, ignoring } from "../../kubernetes/api";
import { Discovery } from "../../kubernetes/discovery";
import { listPods, podOfTemplate } from "../metrics/pods/pod-watch";
import { Pod } from "../metrics/reading";
import { readScale, Scale } from "../target/scale";
import { isWorkload, Target } from "../target/target";

const workloadSchema = z.object({ spec: z.object({ template: z.looseObject({}) }) });

/** Reads the target for one admission request, each part at most once and only if needed. */
export class TargetReader {
  #path?: Promise<string | undefined>;
  #scale?: Promise<Scale | undefined>;
  #pods?: Promise<Pod[]>;
  #pod?: Promise<Pod | undefined>;

  /** @param secondsLeft the timeout of a read that starts now, in seconds */
  constructor(
    readonly api: Api,
    readonly discovery: Discovery,
    readonly namespace: string,
    readonly target: Target,
    readonly secondsLeft: () => number,
  ) {}

  /** Reads the scale. Undefined when there is no such kind. Throws ApiError; 404 when the target does not exist. */
  scale(): Promise<Scale | undefined> {
    return (this.#scale ??= this.#read(path => readScale(this.api, path, this.secondsLeft())));
  }

  /** Reads the pods; none when the target does not exist. Throws ApiError. */
  pods(): Promise<Pod[]> {
    return (this.#pods ??= ignoring(this.scale(), 404).then(scale =>
      scale?.selector ? listPods(this.api, this.namespace, scale.selector, this.secondsLeft()) : [],
    ));
  }

  /** The pod template, or a pod where the template cannot be read, if there is one. Throws ApiError and ZodError. */
  pod(): Promise<Pod | undefined> {
    return (this.#pod ??= isWorkload(this.target)
      ? ignoring(
          this.#read(path => this.#podOfWorkload(path)),
          404,
        )
      : this.pods().then(([pod]) => pod));
  }

  async #podOfWorkload(path: string): Promise<Pod> {
    const found = workloadSchema.parse(await this.api.get(path, { timeoutSeconds: this.secondsLeft() }));
    return podOfTemplate(this.target.name, found.spec.template);
  }

  async #read<Part>(read: (path: string) => Promise<Part>): Promise<Part | undefined> {
    this.#path ??= this.discovery.pathOf(this.target, this.namespace, this.secondsLeft());
    const path = await this.#path;
    return path === undefined ? undefined : read(path);
  }
}
