import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folder of this package, both in source and in the build. */
export const PACKAGE_ROOT = dirname(
  createRequire(import.meta.url).resolve('@berth/server-stubs/package.json'),
);

/** Importing `package.json` would copy it into the build. */
export function readManifest(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
}
