#!/usr/bin/env node
import { Command } from "commander";
import { fromHpa } from "./from-hpa";
import { simulateCommand } from "./simulate";
import { validateCommand } from "./validate";

void new Command("mlscaler")
  .description("Tools for MLScalers that work without the operator.")
  .showHelpAfterError()
  .addCommand(fromHpa)
  .addCommand(simulateCommand)
  .addCommand(validateCommand)
  .parseAsync();
