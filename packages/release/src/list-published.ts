import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** The parts of a `package.json` that this package's checks read. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Readonly<Record<string, string>>;
  exports?: unknown;
  imports?: unknown;
  engines?: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  [field: string]: unknown;
}

export interface Published {
  /** Folder of the package, relative to the root. */
  folder: string;
  manifest: Manifest;
}

/**
 * Lists a checkout's published packages: all packages that are not private. The contract comes first.
 *
 * @example
 * listPublished().map(({ manifest }) => manifest.name); // ['@berth/spec', '@berth/client', …]
 */
export function listPublished(root = ROOT): Published[] {
  const files = ['spec/package.json', ...globSync('packages/*/package.json', { cwd: root }).sort()];
  return files
    .map((file) => ({ folder: dirname(file), manifest: readManifest(join(root, file)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'));
}
