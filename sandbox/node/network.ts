import { writeFileSync } from "node:fs";
import { runProgram } from "../run";

/** The address of the node in its network namespace. */
export const address = "10.77.0.1";

/** The addresses of pods. */
export const pods = "10.244.0.0/24";

/** The addresses of Services, as in the flags of the API server. */
export const services = "10.96.0.0/16";

/**
 * Sets up the network of the namespace: an address of the node, and the routes that the API server needs to reach
 * Services. kube-proxy's rules change their addresses to those of pods.
 */
export async function setUpNetwork(): Promise<void> {
  const ip = (...args: string[]): Promise<string> => runProgram("ip", args);
  await ip("link", "set", "lo", "up");
  // A pair within the namespace, because not every kernel has dummy interfaces.
  await ip("link", "add", "node0", "type", "veth", "peer", "name", "node1");
  await ip("link", "set", "node1", "up");
  await ip("address", "add", `${address}/32`, "dev", "node0");
  await ip("link", "set", "node0", "up");
  await ip("route", "add", services, "dev", "node0");
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
}

/** The configuration of the network plugins: a bridge with an address for each pod. */
export const podNetwork = (ipamFolder: string): object => ({
  cniVersion: "0.4.0",
  name: "pods",
  plugins: [
    {
      ...{ type: "bridge", bridge: "cni0", isGateway: true, ipMasq: true, hairpinMode: true },
      ipam: {
        ...{ type: "host-local", dataDir: ipamFolder },
        ranges: [[{ subnet: pods }]],
        routes: [{ dst: "0.0.0.0/0" }],
      },
    },
  ],
});
