import { ramp, square } from "../courses";
import { Script } from "../script";

/** Processes that end, restart and take over. */
export const runs: Record<string, Script> = {
  "restart: SIGTERM, and its state is taken up": async world => {
    await world.shop(ramp(0.3, 0.05));
    world.mlscaler("web", { history_size: 12 });
    await world.wait(400);
    world.program().terminate();
    await world.wait(5);
    world.start();
    await world.wait(200);
  },
  "restart: SIGKILL, and its state is taken up": async world => {
    await world.shop(square(0.3, 0.7, 200));
    world.mlscaler("web", { history_size: 12 });
    await world.wait(400);
    world.program().kill();
    await world.wait(60);
    world.start();
    await world.wait(250);
  },
  "restart: SIGTERM while nothing answers": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(100);
    world.fault({ path: /./, how: "hang" });
    await world.wait(3);
    world.program().terminate();
    await world.wait(20);
  },
  "restart: SIGTERM in the middle of a burst": async world => {
    await world.begin();
    world.apply("Echo", "cave", { spec: { replicas: 60, image: "nginx:1" } });
    await world.wait(0.1);
    world.program().terminate();
    await world.wait(10);
    world.start("b");
    await world.wait(60);
  },
  "restart: what is stored cannot be read": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(120);
    world.program().kill();
    for (const state of world.store.list(world.kind("ConfigMap"), "pepr-system"))
      world.apply("ConfigMap", state.metadata.name, { data: { state: "{}", tails: "no" } }, "pepr-system");
    await world.wait(20);
    world.start();
    await world.wait(120);
  },
  "restart: the state is of another target": async world => {
    await world.shop(0.5);
    world.mlscaler();
    await world.wait(200);
    world.program().terminate();
    await world.wait(10);
    world.mlscaler("web", { metric: "memory", sync_period_seconds: 20 });
    world.start();
    await world.wait(120);
  },
  "restart: deleted while nobody looked": async world => {
    await world.shop(0.6);
    world.mlscaler();
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    await world.wait(150);
    world.program().kill();
    await world.wait(5);
    world.remove("MLScaler", "web");
    world.remove("Hello", "hi");
    await world.wait(20);
    world.start();
    await world.wait(60);
  },
  "takeover: the leader ends in order": async world => {
    await world.shop(ramp(0.3, 0.05));
    world.start("b");
    world.mlscaler();
    await world.wait(150);
    world.program("a").terminate();
    await world.wait(150);
  },
  "takeover: the leader is killed": async world => {
    await world.shop(square(0.3, 0.7, 120));
    world.start("b");
    world.mlscaler();
    world.apply("EasyService", "esvc", { spec: { size: 2, image: "shop:1" } });
    await world.wait(150);
    world.program("a").kill();
    await world.wait(150);
  },
  "takeover: the leader is cut off, and comes back": async world => {
    await world.shop(ramp(0.3, 0.1));
    world.start("b");
    world.mlscaler();
    await world.wait(120);
    world.reachable(false, "a");
    await world.wait(90);
    world.reachable(true, "a");
    await world.wait(60);
    world.program("b").terminate();
    await world.wait(90);
  },
  "takeover: the Lease cannot be renewed while a sync is under way": async world => {
    await world.shop(0.5);
    world.start("b");
    world.mlscaler();
    await world.wait(60);
    const heal = world.fault({ method: "PUT", path: /leases/, how: 500 });
    const slow = world.fault({ method: "GET", path: /metrics\.k8s\.io/, how: "hang" });
    await world.wait(40);
    heal();
    slow();
    await world.wait(90);
  },
  "takeover: the Lease is lost in the middle of syncs": async world => {
    await world.shop(0.5);
    // Every sync must have something to write.
    const behavior = { scaleUp: { policies: [{ type: "Pods", value: 100, periodSeconds: 15 }] } };
    for (let index = 0; index < 8; index++) {
      const name = `app-${index}`;
      world.deploy(name, 1);
      world.load(name, ramp(0.1, 6));
      world.workloads.startUp.set(name, 1);
      world.mlscaler(name, { target_deployment: name, sync_period_seconds: 5, max_replicas: 400, behavior });
    }
    await world.wait(40);
    world.fault({ method: "PUT", path: /leases/, how: 500 });
    world.fault({ method: "GET", path: /\/scale$/, how: "slow", seconds: 7 });
    await world.wait(30);
  },
  "takeover: while it waits objects come and go": async world => {
    await world.shop(0.5);
    world.start("b");
    world.mlscaler("one");
    world.mlscaler("two", { replicas_per_unit: 6 });
    await world.wait(60);
    world.remove("MLScaler", "one");
    world.apply("Echo", "cave", { spec: { replicas: 2, image: "nginx:1" } });
    await world.wait(60);
    world.program("a").kill();
    await world.wait(120);
  },
};
