import { readFileSync } from 'node:fs';

interface PackageInfo {
  version: string;
  engines: { node: string };
}

/** Reads this package's package.json, which is two folders up in both the source and the build. */
export function readPackageInfo(): PackageInfo {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
