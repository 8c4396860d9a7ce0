import config from "./package.json";
import * as mlscaler from "./capabilities/mlscaler";
import { start } from "./capabilities/common/start";

start(config, [mlscaler]);
