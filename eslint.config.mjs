import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

// Pepr lints whatever there is before it builds. It is shown one file: `npm run lint` looks at all of them.
const [, program = "", command = ""] = process.argv;
const peprBuilds = /[\\/]pepr([\\/]dist[\\/]cli\.js)?$/.test(program) && ["build", "deploy", "dev"].includes(command);
const forPepr = tseslint.config({ ignores: ["*/"] }, { files: ["*.ts"], languageOptions: { parser: tseslint.parser } });

const all = tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "**/*.mjs", "**/*.cjs", "**/*.d.ts"] },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["vitest.config.mts"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      eqeqeq: "error",
    },
  },
  {
    files: ["capabilities/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
          message:
            'Write import * as z from "zod": of { z } nothing can be left out of the bundle, 370 kB of it unused.',
        },
      ],
    },
  },
);

export default peprBuilds ? forPepr : all;
