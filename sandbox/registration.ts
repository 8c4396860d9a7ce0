/** The group and the version of an API, such as external.metrics.k8s.io and v1beta1. */
export interface GroupVersion {
  group: string;
  version: string;
}

/** The namespace of the Services. */
export const namespace = "kube-system";

/** The Service and the APIService of an API that a port of this machine serves. */
export const registration = ({ group, version }: GroupVersion, service: string, port: number): [object, object] => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service, namespace },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port, protocol: "TCP" }] },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: {
      ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
      // The certificate is for localhost, and not for the name of the Service.
      insecureSkipTLSVerify: true,
      service: { namespace, name: service, port },
    },
  },
];
