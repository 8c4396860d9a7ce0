/** An AdmissionReview about an MLScaler, as the API server sends it, with what `request` says of it. */
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
