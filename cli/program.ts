import { Command } from "commander";
import { version } from "../package.json";
import { completionCommand } from "./completion";
import { fleetCommand } from "./fleet";
import { forecastCommand } from "./forecast";
import { fromHpa } from "./from-hpa";
import { fromKeda } from "./from-keda";
import { simulateCommand } from "./simulate";
import { surveyCommand } from "./survey";
import { takeOverCommand } from "./take-over";
import { examples, withUsageErrors } from "./usage";
import { validateCommand } from "./validate";

fromHpa.addHelpText(
  "after",
  examples(
    "mlscaler from-hpa hpa.yaml > mlscaler.yaml",
    "mlscaler from-hpa web --namespace shop --mode Active | kubectl apply -f -",
    "kubectl get hpa -o yaml | mlscaler from-hpa -",
  ),
);

fromKeda.addHelpText(
  "after",
  examples(
    "mlscaler from-keda scaledobject.yaml > mlscaler.yaml",
    "mlscaler from-keda web --namespace shop --server main",
    "kubectl get scaledobject -o yaml | mlscaler from-keda -",
  ),
);

validateCommand.addHelpText(
  "after",
  examples(
    "mlscaler validate manifests/",
    "mlscaler validate --output github web.yaml api.yaml",
    "helm template . | mlscaler validate -",
  ),
);

/** The command line of `mlscaler`. */
export const program = withUsageErrors(
  new Command("mlscaler")
    .description("Tools for MLScalers that work without the operator.")
    .version(version)
    .addCommand(fromHpa)
    .addCommand(fromKeda)
    .addCommand(simulateCommand)
    .addCommand(surveyCommand)
    .addCommand(takeOverCommand)
    .addCommand(fleetCommand)
    .addCommand(forecastCommand)
    .addCommand(validateCommand)
    .addCommand(completionCommand),
);
