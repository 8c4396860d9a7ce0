import semver from "semver";

/** What a release is, as it is in CHANGELOG.md. */
export interface Section {
  /** The date in the heading, or Unreleased. */
  date: string;
  /** The Markdown below the heading. */
  text: string;
}

/**
 * The section of a version: "## [1.2.0] - 2026-11-23". A pre-release (1.2.0-rc.1) has that of its release, unless it
 * has its own.
 * @param changelog the text of CHANGELOG.md
 * @throws when there is none, or it is empty
 */
export function sectionOf(changelog: string, version: string): Section {
  const { major, minor, patch } = new semver.SemVer(version);
  const release = `${major}.${minor}.${patch}`;
  const [, ...sections] = changelog.split(/^## /m);
  const found = [version, release]
    .map(name => sections.find(section => section.startsWith(`[${name}]`)))
    .find(section => section !== undefined);
  if (found === undefined)
    throw new Error(`CHANGELOG.md has no section for ${version}; add "## [${release}] - YYYY-MM-DD" and what changed`);
  const [heading = "", ...lines] = found.split("\n");
  const text = lines.join("\n").trim();
  if (text === "") throw new Error(`CHANGELOG.md says nothing below "## ${heading}"; write what changed`);
  return { date: heading.split(" - ")[1]?.trim() ?? "Unreleased", text };
}
