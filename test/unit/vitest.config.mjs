import config from "../../vitest.config.mts";

/** The unit project alone, for StrykerJS, which knows no projects. */
export default { test: config.test.projects.find(({ test }) => test.name === "unit").test };
