import config from "./package.json";
import { review } from "./capabilities/easyservice/admission";
import { EasyServiceController } from "./capabilities/easyservice/controller";
import { EchoController } from "./capabilities/echo/controller";
import { HelloController } from "./capabilities/hello/controller";
import { mlscaler } from "./capabilities/mlscaler";
import { capabilityOf, Compose } from "./capabilities/operator/capability";
import { start } from "./capabilities/operator/start";
import { PizzaOrderController } from "./capabilities/pizzaorder/controller";

/** What this module holds. Take out what you do not want, then `npm run build`. */
export const capabilities: Record<string, Compose> = {
  mlscaler,
  easyservice: operator => capabilityOf(operator, new EasyServiceController(operator.context), review),
  hello: operator => capabilityOf(operator, new HelloController(operator.context)),
  echo: operator => capabilityOf(operator, new EchoController(operator.context)),
  pizzaorder: operator => capabilityOf(operator, new PizzaOrderController()),
};

start(config, capabilities);
