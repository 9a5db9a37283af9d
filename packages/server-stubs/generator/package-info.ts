import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folder of this package, from its source as from its build. */
export const PACKAGE_ROOT = dirname(
  createRequire(import.meta.url).resolve('@berth/server-stubs/package.json'),
);

/** An import of the package's `package.json` would put a copy of it into the build. */
export function readManifest(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
}
