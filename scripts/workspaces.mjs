import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.mjs';

/**
 * Lists the folders of the workspace packages. `spec` comes first, because everything else is generated
 * from it.
 */
export function listWorkspaces() {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  return ['spec', 'docs', 'scripts', ...packages].filter((folder) =>
    existsSync(join(ROOT, folder, 'package.json')),
  );
}
