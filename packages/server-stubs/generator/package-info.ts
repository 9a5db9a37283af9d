import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Root of this package, both from the source and from the build. */
export const PACKAGE_ROOT = dirname(
  createRequire(import.meta.url).resolve('@berth/server-stubs/package.json'),
);

/** Not imported, because an import would copy `package.json` into the build. */
export function readManifest(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
}
