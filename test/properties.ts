import fc from "fast-check";

// The configuration of vitest sets it: the same in each run of `npm test`, another one in `npm run test:long`.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.MLSCALER_SEED ?? 1) });
