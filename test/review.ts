/** An AdmissionReview about an MLScaler in the form of the API server, with the fields of `request`. */
export const reviewOf = (uid: string, namespace: string, request: object): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid,
    kind: { group: "example.com", version: "v1", kind: "MLScaler" },
    resource: { group: "example.com", version: "v1", resource: "mlscalers" },
    namespace,
    userInfo: {},
    ...request,
  },
});
