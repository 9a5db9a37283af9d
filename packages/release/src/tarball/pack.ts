import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../list-published.ts';

export interface Packed {
  bytes: Uint8Array<ArrayBuffer>;
  /** As it would be published: without `workspace:` and `catalog:`, with `publishConfig` put in place. */
  manifest: Manifest;
  /** Paths of all files, from the root of the package. */
  files: string[];
}

/**
 * What would be published of a package, by the pnpm that publishes it.
 *
 * @param folder the package, built
 */
export function pack(folder: string): Packed {
  const place = mkdtempSync(join(tmpdir(), 'berth-pack-'));
  try {
    execFileSync('pnpm', ['pack', '--pack-destination', place], { cwd: folder });
    const [name = ''] = readdirSync(place);
    const tarball = join(place, name);
    const tar = (...args: string[]) => execFileSync('tar', args, { encoding: 'utf8' });
    return {
      bytes: Uint8Array.from(readFileSync(tarball)),
      manifest: JSON.parse(tar('-xzOf', tarball, 'package/package.json')),
      files: tar('-tzf', tarball)
        .split('\n')
        .filter((path) => path !== '')
        .map((path) => path.replace(/^package\//, '')),
    };
  } finally {
    rmSync(place, { recursive: true });
  }
}
