import config from "./package.json";
import * as easyservice from "./capabilities/easyservice";
import * as echo from "./capabilities/echo";
import * as hello from "./capabilities/hello";
import * as mlscaler from "./capabilities/mlscaler";
import * as pizzaorder from "./capabilities/pizzaorder";
import { start } from "./capabilities/operator/start";

/** What this module holds. Take out what you do not want, then `npm run build`. */
export const capabilities = [mlscaler, easyservice, hello, echo, pizzaorder];

start(config, capabilities);
