/** The name of this module: its Lease, its field manager, and the label of what it stores. */
export const moduleName = "mlscaler";

/** A domain of 253 characters, a slash and 63. Without a limit the pattern of a domain takes hours for a megabyte. */
export const longestLabelKey = 317;

/** The pattern of a DNS label (RFC 1123). */
export const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** The patterns of a qualified name such as "example.com/gpu": the domain, and the name after the slash. */
export const domain = `${dnsLabel}([.]${dnsLabel})*`;
export const qualifiedName = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

export const labelKey = `^(${domain}/)?${qualifiedName}$`;
export const labelValue = `^(${qualifiedName})?$`;

const keyPattern = new RegExp(labelKey);
const valuePattern = new RegExp(labelValue);

export const isLabelKey = (text: string): boolean => text.length <= longestLabelKey && keyPattern.test(text);
export const isLabelValue = (text: string): boolean => valuePattern.test(text);
