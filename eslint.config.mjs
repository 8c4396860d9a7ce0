// `pepr build` runs ESLint. Here it finds no file with a fault: oxlint holds the rules, see .oxlintrc.json.
export default [{ ignores: ["*/"] }, { files: ["pepr.ts"] }];
