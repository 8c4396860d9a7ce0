#!/usr/bin/env node
import { program } from "./program";

void program.parseAsync();
