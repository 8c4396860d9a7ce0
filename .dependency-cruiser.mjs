// Which folder may import which, types included. A folder may import those before it in the list, never those after
// it, so no cycle between folders is possible.
const mlscaler = "capabilities/mlscaler";
const order = [
  "capabilities/kubernetes",
  "capabilities/definition",
  "capabilities/webhook",
  "capabilities/operator",
  `${mlscaler}/history`,
  `${mlscaler}/forecast`,
  `${mlscaler}/target`,
  `${mlscaler}/metrics`,
  `${mlscaler}/scaling`,
  `${mlscaler}/memory`,
  `${mlscaler}/backtest`,
  `${mlscaler}/schema.ts`,
  `${mlscaler}/assist`,
  `${mlscaler}/nodes`,
  `${mlscaler}/admission`,
  `${mlscaler}/report`,
  `${mlscaler}/sync`,
  `${mlscaler}/controller.ts`,
  `${mlscaler}/index.ts`,
  "pepr.ts",
  "cli",
  "sandbox",
  "build",
  "test",
];

/** The other capabilities stand side by side: they share folders with mlscaler and import nothing of each other. */
const others = ["easyservice", "echo", "hello", "pizzaorder"].map(name => `capabilities/${name}`);

const under = paths => `^(${paths.map(path => path.replaceAll(".", "[.]")).join("|")})(/|$)`;

/** Pure functions and models: time comes in as an argument. */
const pure = [
  ...["history", "forecast", "scaling", "backtest"].map(folder => `${mlscaler}/${folder}`),
  "capabilities/webhook/certificates/plan.ts",
];

export default {
  forbidden: [
    { name: "no-file-cycle", severity: "error", from: {}, to: { circular: true } },
    ...order.slice(0, -1).map((folder, place) => ({
      name: `${folder} imports no folder after it`,
      severity: "error",
      from: { path: under([folder]) },
      to: { path: under([...order.slice(place + 1), ...(place < order.indexOf("pepr.ts") ? others : [])]) },
    })),
    ...others.map(folder => ({
      name: `${folder} imports no other capability`,
      severity: "error",
      from: { path: under([folder]) },
      to: {
        path: under([...others.filter(other => other !== folder), mlscaler, "pepr.ts", "build", "cli", "sandbox"]),
      },
    })),
    {
      name: "pure folders reach no I/O, timer, clock or logger",
      severity: "error",
      from: { path: under(pure) },
      to: {
        reachable: true,
        path: [
          "^capabilities/kubernetes/(api|apply|back-off|body|discovery|events|exchange|finalizer|lease|log|watch)[.]ts$",
          "^node_modules/(pepr|prom-client|@kubernetes|kubernetes-fluent-client)/",
          "^(node:)?(fs|http|https|net|tls|dns|child_process|timers|timers/promises|process|os|worker_threads)$",
        ].join("|"),
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|node_modules)/" },
    tsPreCompilationDeps: true,
    // No tsconfig: the cruiser would take its folder for a base URL, and the package pepr for our pepr.ts.
    enhancedResolveOptions: {
      extensions: [".ts", ".mts", ".mjs", ".js", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};
