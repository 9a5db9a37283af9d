import { readFileSync } from 'node:fs';

interface PackageInfo {
  version: string;
  engines: { node: string };
}

/** The package's own package.json, two folders up from both source and build. */
export function readPackageInfo(): PackageInfo {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
