import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listPublished, ROOT } from '../list-published.ts';
import { pack } from './pack.ts';

/**
 * Installs all published packages from their tarballs without a registry. Their other dependencies are links to
 * those of this repository; a dependency that the manifest lacks is not found.
 *
 * @param modules absolute path of a `node_modules` folder
 */
export function unpackPublished(modules: string): void {
  for (const { folder } of listPublished()) {
    const { file, manifest } = pack(join(ROOT, folder), join(modules, '.tarballs'));
    const target = join(modules, manifest.name);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', file, '-C', target, '--strip-components=1']);
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      if (name.startsWith('@berth/')) continue;
      const link = join(target, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(realpathSync(join(ROOT, folder, 'node_modules', name)), link, 'dir');
    }
  }
}
