import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Manifest, Published } from '../list-published.ts';

export interface Packed {
  /** Path of the tarball. */
  file: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** As it would be published: without `workspace:` and `catalog:`, and with `publishConfig` applied. */
  manifest: Manifest;
  /** Paths of all files, relative to the root of the package. */
  files: string[];
}

/**
 * Packs a package as it would be published, using the same pnpm.
 *
 * @param folder the package, already built
 * @param destination absolute path of a folder for the tarball; created if it does not exist
 */
export function pack(folder: string, destination: string): Packed {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const args = ['pack', '--json', '--pack-destination', destination];
  const { filename: file } = JSON.parse(execFileSync('pnpm', args, options));
  const tar = (...args: string[]) => execFileSync('tar', args, options);
  return {
    file,
    bytes: Uint8Array.from(readFileSync(file)),
    manifest: JSON.parse(tar('-xzOf', file, 'package/package.json')),
    files: tar('-tzf', file)
      .split('\n')
      .filter((path) => path !== '')
      .map((path) => path.replace(/^package\//, '')),
  };
}

/**
 * Lists the packages of a checkout that have to be installed together while none of them is on a registry.
 *
 * @param name a published package
 * @returns the package first, then its direct and indirect dependencies in `published`
 */
export function listTogether(name: string, published: readonly Published[]): Published[] {
  const together = new Set<Published>();
  const add = (wanted: string) => {
    const found = published.find(({ manifest }) => manifest.name === wanted);
    if (found === undefined || together.has(found)) return;
    together.add(found);
    for (const next of Object.keys(found.manifest.dependencies ?? {})) add(next);
  };
  add(name);
  return [...together];
}

/**
 * Returns the command that installs tarballs, quoted for a shell.
 *
 * @example
 * toInstallCommand(['/my files/berth-spec-0.0.0.tgz']); // "npm install '/my files/berth-spec-0.0.0.tgz'"
 */
export function toInstallCommand(files: readonly string[]): string {
  const words = files.map((file) =>
    /^[\w./:\\@+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`,
  );
  return ['npm install', ...words].join(' ');
}
