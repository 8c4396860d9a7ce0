import { NoCount, Pod } from "../reading";

/** Requests by pod name, in milli-units, of a container or of all. Throws NoCount, like HPA, when a pod has none. */
export const requestsOf = (pods: Pod[], resource: string, container?: string): Map<string, number> =>
  new Map(pods.map(pod => [pod.name, requestOf(pod, resource, container)]));

function requestOf({ name: pod, requests: whole, containers }: Pod, resource: string, container?: string): number {
  if (container === undefined && whole) {
    const request = whole[resource];
    if (request === undefined) throw new NoCount(`missing pod-level request for ${resource} in Pod ${pod}`);
    return request;
  }
  const counted = containers.filter(({ name }) => container === undefined || name === container);
  if (container !== undefined && counted.length === 0)
    throw new NoCount(`container ${container} not found in Pod ${pod}`);
  return counted.reduce((sum, { name, requests }) => {
    const request = requests[resource];
    if (request === undefined) throw new NoCount(`missing request for ${resource} in container ${name} of Pod ${pod}`);
    return sum + request;
  }, 0);
}
