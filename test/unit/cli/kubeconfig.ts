/** A kubeconfig of one context, in the namespace shop, of a server that nobody is. */
export const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: here, context: {cluster: c, user: u, namespace: shop}}]
current-context: here
`;
