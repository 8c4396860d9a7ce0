/** The address of the node in its network namespace. */
export const address = "10.77.0.1";

/** The addresses of pods. */
export const pods = "10.244.0.0/24";

/** The addresses of Services, as in the flags of the API server. */
export const services = "10.96.0.0/16";
