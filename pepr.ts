import config from "./package.json";
import { easyservice } from "./capabilities/easyservice";
import { echo } from "./capabilities/echo";
import { hello } from "./capabilities/hello";
import { mlscaler } from "./capabilities/mlscaler";
import { pizzaorder } from "./capabilities/pizzaorder";
import { start } from "./capabilities/operator/start";

/** What this module holds. Take out what you do not want, then `npm run build`. */
export const capabilities = { mlscaler, easyservice, hello, echo, pizzaorder };

start(config, capabilities);
