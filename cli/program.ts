import { Command } from "commander";
import { version } from "../package.json";
import { fromHpa } from "./from-hpa";
import { fromKeda } from "./from-keda";
import { simulateCommand } from "./simulate";
import { validateCommand } from "./validate";

/** The command line of `mlscaler`. */
export const program = new Command("mlscaler")
  .description("Tools for MLScalers that work without the operator.")
  .version(version)
  .showHelpAfterError()
  .addCommand(fromHpa)
  .addCommand(fromKeda)
  .addCommand(simulateCommand)
  .addCommand(validateCommand);
