import { Fields } from "../objects";
import { World } from "../world";
import { Script } from "../script";

const easyservice = (world: World, spec: Fields): void => void world.apply("EasyService", "shop", { spec });

/** The life cycles of the four other resources. */
export const runs: Record<string, Script> = {
  "Hello: its life": async world => {
    await world.begin();
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    await world.wait(60);
    world.apply("Hello", "hi", { spec: { replicas: 4 } });
    await world.wait(60);
    world.scale("hi", 1);
    await world.wait(40);
    world.apply("Hello", "hi", { spec: { replicas: 3 } });
    await world.wait(40);
    world.remove("Deployment", "hi");
    await world.wait(60);
    world.remove("Hello", "hi");
    await world.wait(30);
  },
  "Hello: deleted, its Deployment is to stay": async world => {
    await world.begin();
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    await world.wait(40);
    world.store.update(world.kind("Hello"), "shop", "hi", { manager: "kubectl" }, ({ metadata }) =>
      metadata.finalizers?.push("orphan"),
    );
    world.remove("Hello", "hi");
    await world.wait(60);
  },
  "Hello: deleted, another's finalizer holds its Deployment": async world => {
    await world.begin();
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    await world.wait(40);
    const hold = (finalizers: string[]): void => void world.apply("Deployment", "hi", { metadata: { finalizers } });
    hold(["example.org/hold"]);
    world.remove("Hello", "hi");
    await world.wait(90);
    hold([]);
    await world.wait(60);
  },
  "Hello: the name is taken, by nobody and by another's child": async world => {
    await world.begin();
    world.deploy("hi", 1);
    world.apply("Hello", "hi", { spec: { replicas: 2 } });
    world.apply("EasyService", "both", { spec: { image: "both:1" } });
    await world.wait(20);
    world.apply("Hello", "both", { spec: { replicas: 2 } });
    await world.wait(60);
    world.remove("Deployment", "hi");
    world.remove("EasyService", "both");
    await world.wait(60);
  },
  "EasyService: its life": async world => {
    await world.begin();
    const port = { name: "http", port: 80, targetPort: 8080 };
    easyservice(world, { size: 2, image: "shop:1", ports: [port] });
    await world.wait(60);
    const envs = [{ name: "MODE", value: "fast" }];
    const resources = { requests: { cpu: "100m" }, limits: { memory: "128Mi" } };
    easyservice(world, { size: 3, image: "shop:2", envs, resources });
    await world.wait(90);
    easyservice(world, { ports: [port, { name: "udp", port: 53, protocol: "UDP" }], resources: null });
    await world.wait(40);
    easyservice(world, { ports: [] });
    await world.wait(40);
    easyservice(world, { size: 0 });
    await world.wait(40);
    world.remove("EasyService", "shop");
    await world.wait(30);
  },
  "EasyService: children changed and deleted by hand": async world => {
    await world.begin();
    easyservice(world, { size: 2, image: "shop:1", ports: [{ port: 80 }] });
    await world.wait(40);
    world.rollOut("shop", "shop:evil");
    world.scale("shop", 5);
    await world.wait(40);
    world.apply("Service", "shop", { spec: { type: "ClusterIP" } });
    await world.wait(20);
    world.remove("Service", "shop");
    await world.wait(20);
    world.remove("Deployment", "shop");
    await world.wait(60);
  },
  "EasyService: names that are taken": async world => {
    await world.begin();
    world.deploy("shop", 1);
    world.apply("Service", "shop", { spec: { type: "ClusterIP" } });
    easyservice(world, { size: 2, image: "shop:1", ports: [{ port: 80 }] });
    await world.wait(60);
    world.remove("Service", "shop");
    await world.wait(20);
    world.remove("Deployment", "shop");
    await world.wait(60);
  },
  "EasyService: children are refused": async world => {
    await world.begin();
    const heal = world.fault({ method: "PATCH", path: /deployments/, how: 422, message: "spec is invalid" });
    const other = world.fault({ method: "PATCH", path: /services\//, how: 500 });
    easyservice(world, { size: 2, image: "shop:1", ports: [{ port: 80 }] });
    await world.wait(60);
    heal();
    other();
    await world.wait(90);
  },
  "Echo: its life": async world => {
    await world.begin();
    world.apply("Echo", "cave", { spec: { replicas: 3, image: "nginx:1" } });
    await world.wait(60);
    world.apply("Echo", "cave", { spec: { image: "nginx:2" } });
    await world.wait(150);
    world.apply("Echo", "cave", { spec: { replicas: 1 } });
    await world.wait(40);
    world.apply("Echo", "cave", { spec: { replicas: 0 } });
    await world.wait(20);
    world.remove("Echo", "cave");
    await world.wait(20);
  },
  "Echo: pods that are deleted, fail and lose their labels": async world => {
    await world.begin();
    world.apply("Echo", "cave", { spec: { replicas: 4, image: "nginx:1" } });
    await world.wait(60);
    const [first, second, third] = world.store.list(world.kind("Pod"), "shop").map(({ metadata }) => metadata.name);
    world.remove("Pod", first ?? "");
    world.workloads.fail("shop", second ?? "");
    world.apply("Pod", third ?? "", { metadata: { labels: { app: null, owner: "nobody" } } });
    await world.wait(120);
  },
  "Echo: pods that fail again and again": async world => {
    await world.begin();
    world.apply("Echo", "cave", { spec: { replicas: 1, image: "nginx:1" } });
    for (let round = 0; round < 5; round++) {
      await world.wait(30);
      for (const { metadata } of world.store.list(world.kind("Pod"), "shop"))
        if (!metadata.deletionTimestamp) world.workloads.fail("shop", metadata.name);
    }
    await world.wait(200);
  },
  "Echo: pods are refused": async world => {
    await world.begin();
    const heal = world.fault({ method: "POST", path: /\/pods/, how: 403, message: "exceeded quota" });
    world.apply("Echo", "cave", { spec: { replicas: 3, image: "nginx:1" } });
    await world.wait(40);
    heal();
    await world.wait(40);
    world.fault({ method: "DELETE", path: /\/pods/, how: 500, times: 2 });
    world.apply("Echo", "cave", { spec: { replicas: 1 } });
    await world.wait(40);
  },
  "PizzaOrder: its life": async world => {
    await world.begin();
    world.apply("PizzaOrder", "lunch", { spec: { size: "small" } });
    await world.wait(30);
    world.apply("PizzaOrder", "lunch", { spec: { size: "large", toppings: ["ham", "olives"] } });
    await world.wait(330);
    world.apply("PizzaOrder", "lunch", { spec: { toppings: [] } });
    await world.wait(30);
    world.remove("PizzaOrder", "lunch");
    await world.wait(30);
  },
};
