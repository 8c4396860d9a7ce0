import type * as z from "zod";
import type { Skew } from "../../../kubernetes/server-clock";
import type { Instant } from "../../../kubernetes/time";
import type { NestedRules, Rule } from "../../../definition/rules";
import type { MetricReference, Reading } from "../reading";
import type { MetricTarget } from "../schema";
import type { CustomValue, ExternalValue, PodUsage } from "../api/values";

export interface PodResource {
  name: string;
  container?: string;
}

/** The comparison of a metric with its target by HPA (podautoscaler/replica_calculator.go), with HPA's messages. */
export interface HpaRule {
  /** Percent of requests, mean over the pods, one value for all pods, or a total shared by the pods. */
  by: "utilization" | "averageValue" | "value" | "total";
  target: MetricTarget;
  /** The metric as HPA names it: "cpu resource utilization (percentage of request)". */
  of: string;
  resource?: PodResource;
  /** The prefix of errors: "failed to get cpu utilization: ". */
  problem?: string;
}

export interface PastValues {
  server: string;
  query: string;
}

export interface Subject {
  namespace: string;
  selector: string;
  now: Instant;
}

export interface MetricsRequest extends MetricReference {
  /** The path after the version: "namespaces/shop/pods". */
  path: string;
  /** Empty ones are left out. */
  query?: Record<string, string>;
  now: Instant;
}

export interface MetricsReader<Item> {
  /** Returns fresh and stale values. Throws MetricsError when there are no fresh values. */
  read(request: MetricsRequest): Promise<{ fresh: Item[]; stale: Item[] }>;
  /** Returns all values. Throws MetricsError when one is stale or none can be read, because a part is not the whole. */
  readWhole(request: MetricsRequest): Promise<Item[]>;
}

export interface DescribedObject {
  apiVersion?: string;
  kind: string;
  name: string;
}

export interface MetricsApis {
  resource: MetricsReader<PodUsage>;
  custom: MetricsReader<CustomValue> & {
    /** The path of an object in the API: "ingresses.networking.k8s.io/main". Throws MetricsError. */
    pathOf(object: DescribedObject, reference: MetricReference): Promise<string>;
  };
  external: MetricsReader<ExternalValue>;
  prometheus: {
    /** The value of a query now, and how far the server's clock is off. Throws MetricsError. */
    query(
      namespace: string,
      server: string,
      query: string,
      maxSampleAgeSeconds?: number,
    ): Promise<{ value: number; skew?: Skew }>;
  };
}

/** A type of metric source. `Block` is its block in an entry of `metrics`. The registry has one source per type. */
export interface Source<Block extends { target: MetricTarget }> {
  schema: z.ZodType<Block>;
  description: string;
  rules: NestedRules[];
  targetRules: Rule<MetricTarget>[];
  name(block: Block): string;
  /** The metric as errors name it, without its type: "cpu of container app". By default its name. */
  reference?(block: Block): string;
  /** The word in HPA's error "failed to get … metric value". */
  hpaName(block: Block): string;
  /** HPA's rule for the metric. */
  hpaRule(block: Block): HpaRule;
  resource?(block: Block): PodResource;
  /** A metric with one is known without pods of the target, so at 0 replicas. */
  activation?: z.ZodType<Omit<Block, "target"> & { threshold: string | number }>;
  past?(block: Block): PastValues;
  /** Reads the metric. The samples may include other pods of the namespace. Throws MetricsError. */
  read(block: Block, subject: Subject, reference: MetricReference, apis: MetricsApis): Promise<Reading>;
}
