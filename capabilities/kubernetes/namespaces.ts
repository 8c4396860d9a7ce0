/**
 * The namespaces in which the module acts, from MLSCALER_NAMESPACES ("shop,blog"); undefined for all. It reads its own
 * kinds in all namespaces in any case, because Pepr does.
 */
function actingNamespaces(): string[] | undefined {
  const names = (process.env.MLSCALER_NAMESPACES ?? "").split(",").map(name => name.trim());
  const given = names.filter(name => name !== "");
  return given.length > 0 ? [...new Set(given)] : undefined;
}

/** Whether the module acts in a namespace. */
export const actsIn = (namespace: string): boolean => actingNamespaces()?.includes(namespace) ?? true;

/** Paths of objects without a namespace that the module watches. */
const clusterScoped = /^\/apis\/admissionregistration\.k8s\.io\//;

/** Whether `path` has the objects of all namespaces: "/api/v1/pods". */
export const isOfAllNamespaces = (path: string): boolean => !path.includes("/namespaces/") && !clusterScoped.test(path);

/**
 * The paths to watch in place of `path`, by namespace: one for each namespace in which the module acts. Undefined if
 * `path` is watched itself, because the module acts in all namespaces, or because it is of one namespace or of none.
 */
export function pathsInstead(path: string): Map<string, string> | undefined {
  if (!isOfAllNamespaces(path)) return undefined;
  const namespaces = actingNamespaces();
  return namespaces && new Map(namespaces.map(namespace => [namespace, pathIn(namespace, path)]));
}

/** Limits a path to one namespace: "/api/v1/pods" becomes "/api/v1/namespaces/shop/pods". */
const pathIn = (namespace: string, path: string): string => path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
