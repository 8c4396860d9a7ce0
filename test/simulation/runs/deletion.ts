import { Fields } from "../objects";
import { World } from "../world";
import { cpu } from "./long-form";
import { Script } from "../script";

/** An MLScaler that has scaled web and is deleted after `change`. */
const deleted =
  (spec: Fields, change: (world: World) => void = () => undefined): Script =>
  async world => {
    await world.shop(0.6);
    world.mlscaler("web", spec);
    await world.wait(100);
    change(world);
    await world.wait(40);
    world.remove("MLScaler", "web");
    await world.wait(40);
  };

/** The deletion of MLScalers. */
export const runs: Record<string, Script> = {
  "deletion: Min": deleted({ min_replicas: 2 }),
  "deletion: Keep": deleted({ on_delete: "Keep" }),
  "deletion: paused": deleted({}, world => world.mlscaler("web", { pause: "Up" })),
  "deletion: only observed": deleted({ mode: "Observe" }),
  "deletion: target at 0": deleted({}, world => world.scale("web", 0)),
  "deletion: target is gone": deleted({}, world => world.remove("Deployment", "web")),
  "deletion: another autoscaler holds the target": deleted({}, world => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    world.apply("HorizontalPodAutoscaler", "web", { spec: { scaleTargetRef, maxReplicas: 3 } });
  }),
  "deletion: another MLScaler holds the target": deleted({}, world => world.mlscaler("other")),
  "deletion: the spec is invalid": deleted({}, world => world.mlscaler("web", { min_replicas: 99 })),
  "deletion: the scale is refused": deleted({}, world => {
    world.fault({ method: "PUT", path: /\/scale$/, how: 422 });
  }),
  "deletion: Events are refused": deleted({}, world => {
    world.fault({ path: /events/, how: 403 });
  }),
  "deletion: the API server fails for a while": deleted({}, world => {
    world.fault({ path: /web\/scale/, how: 500, times: 3 });
    world.fault({ method: "DELETE", path: /configmaps/, how: 500, times: 1 });
    world.fault({ method: "PATCH", path: /mlscalers\/web$/, how: 409, times: 1 });
  }),
  "deletion: a finalizer of another": deleted({}, world =>
    world.store.update(world.kind("MLScaler"), "shop", "web", { manager: "kubectl" }, ({ metadata }) =>
      metadata.finalizers?.unshift("example.org/other"),
    ),
  ),
  "deletion: never scaled": async world => {
    await world.shop(0.2);
    world.mlscaler();
    await world.wait(100);
    world.remove("MLScaler", "web");
    await world.wait(30);
  },
  "deletion: and created anew under its name": async world => {
    await world.shop(0.6);
    world.mlscaler();
    await world.wait(100);
    world.remove("MLScaler", "web");
    await world.wait(1);
    world.mlscaler("web", { replicas_per_unit: 5 });
    await world.wait(100);
  },
  "deletion: long form": async world => {
    await world.shop(1.4);
    world.longForm("web", [cpu(50)], { on_delete: "Min" });
    await world.wait(100);
    world.remove("MLScaler", "web");
    await world.wait(30);
  },
  "sweep: what no MLScaler has any more": async world => {
    const labels = (uid: string): Fields => ({
      labels: { "app.kubernetes.io/managed-by": "mlscaler", "mlscaler.example.com/uid": uid },
    });
    for (const [name, uid] of Object.entries({
      "mlscaler-state-gone": "gone",
      "mlscaler-history-gone-0123abcd": "gone",
    }))
      world.apply("ConfigMap", name, { metadata: labels(uid), data: {} }, "pepr-system");
    world.apply("ConfigMap", "others", { metadata: labels("others"), data: {} }, "pepr-system");
    world.apply("ConfigMap", "mlscaler-state-bare", { data: {} }, "pepr-system");
    await world.shop(0.4);
    world.mlscaler();
    await world.wait(120);
  },
};
