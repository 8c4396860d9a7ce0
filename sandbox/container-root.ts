/** A folder of this machine and where the container sees it. */
export interface Mount {
  from: string;
  to: string;
  readOnly: boolean;
}

/** What the script that becomes a container's process depends on. */
export interface ContainerRoot {
  /** Empty folder that becomes the container's /. */
  root: string;
  hostname: string;
  user: number;
  group: number;
  supplementaryGroup?: number;
  /** The node program of this machine, found by the container first. */
  node: string;
  mounts: Mount[];
  workdir: string;
  command: string[];
}

/** Folders that the container has for itself; what this machine keeps there shows through as links. */
const ownFolders = ["app", "etc", "run", "tmp", "var"];

/**
 * A shell script that, in mount and host name namespaces of its own, makes a root out of this machine's folders and the
 * container's, enters it and becomes the container's command. Everything lies on a tmpfs and in mounts that only
 * this process and its children see, so the end of the last of them takes all away: a crash leaves one empty folder.
 */
export function containerScript(container: ContainerRoot): string {
  const { root, user, group, supplementaryGroup } = container;
  const inRoot = (path: string): string => quote(`${root}${path}`);
  for (const { to } of container.mounts) checkMountPath(to);
  return [
    "set -eu",
    `echo ${quote(container.hostname)} > /proc/sys/kernel/hostname`,
    `mount -t tmpfs -o mode=0755,size=256m sandbox ${quote(root)}`,
    `cd ${quote(root)}`,
    `mkdir .host .bin ${ownFolders.join(" ")}`,
    "for entry in /*; do",
    '  name="${entry#/}"',
    `  case "$name" in ${ownFolders.join("|")}) continue ;; esac`,
    '  if [ -L "$entry" ]; then cp -P "$entry" "$name"',
    '  elif [ -d "$entry" ]; then mkdir "$name"; mount --rbind "$entry" "$name"; fi',
    "done",
    "for folder in etc var; do",
    '  mkdir ".host/$folder"; mount --rbind "/$folder" ".host/$folder"',
    '  for entry in "/$folder"/*; do ln -s "/.host$entry" "$folder/"; done',
    "done",
    // Never through a link into this machine's own folders.
    "rm -f var/run; ln -s ../run var/run",
    "chmod 1777 tmp",
    `chown ${user}:${group} app`,
    `touch .bin/node; mount --bind ${quote(container.node)} .bin/node`,
    ...container.mounts.flatMap(({ from, to, readOnly }) => [
      // A link to this machine's file of that name gives way.
      `if [ -L ${inRoot(topTwo(to))} ]; then rm ${inRoot(topTwo(to))}; fi`,
      `mkdir -p ${inRoot(to)}; mount --bind ${quote(from)} ${inRoot(to)}`,
      ...(readOnly ? [`mount -o remount,bind,ro ${inRoot(to)}`] : []),
    ]),
    `exec chroot --userspec=${user}:${group} --groups=${supplementaryGroup ?? group} ${quote(root)} \\`,
    `  /bin/sh -c 'cd "$1"; shift; exec "$@"' sh ${[container.workdir, ...container.command].map(quote).join(" ")}`,
    "",
  ].join("\n");
}

function checkMountPath(path: string): void {
  const top = path.split("/")[1] ?? "";
  if (!path.startsWith("/") || path.includes("/../") || !ownFolders.includes(top)) {
    throw new Error(
      `mount path ${path}: the sandbox mounts below ${ownFolders.map(name => `/${name}`).join(", ")} only`,
    );
  }
}

/** /etc/certs/x → /etc/certs; /var/run is the container's own link and stays. */
function topTwo(path: string): string {
  const two = path.split("/").slice(0, 3).join("/");
  return two === "/var/run" ? "/run/" : two;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
