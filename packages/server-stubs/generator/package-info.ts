import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this package, from its source as from its build. */
export const PACKAGE_ROOT = fileURLToPath(
  new URL('.', import.meta.resolve('@berth/server-stubs/package.json')),
);

/** Version of this package. An import of its `package.json` would put a copy of it into the build. */
export function readVersion(): string {
  return readManifest().version;
}

/** The oldest Node that `engines` allows, such as `22.12`. */
export function readOldestNode(): string {
  return readManifest().engines.node.replace('>=', '');
}

function readManifest(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
}
