import { readFileSync } from 'node:fs';

interface PackageInfo {
  version: string;
  engines: { node: string };
}

/** The package's own package.json, which stands two folders up from source and build alike. */
export function readPackageInfo(): PackageInfo {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
