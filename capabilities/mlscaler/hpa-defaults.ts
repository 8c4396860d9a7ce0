// Defaults of HPA (podautoscaler/config/v1alpha1/defaults.go).

/** --horizontal-pod-autoscaler-sync-period, in seconds. */
export const syncPeriodSeconds = 15;

/** --horizontal-pod-autoscaler-tolerance, a ratio. */
export const defaultTolerance = 0.1;

/** --horizontal-pod-autoscaler-downscale-stabilization, in ms. */
export const stabilizationMilliseconds = 300_000;

/** --horizontal-pod-autoscaler-cpu-initialization-period, in ms: a younger pod's CPU counts only while it is Ready. */
export const cpuInitializationMilliseconds = 300_000;

/** --horizontal-pod-autoscaler-initial-readiness-delay, in ms: a pod unready since before this age was never Ready. */
export const readinessDelayMilliseconds = 30_000;
