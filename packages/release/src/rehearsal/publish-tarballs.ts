import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '@berth/runtimes/run-command';
import { listPublished, ROOT } from '../list-published.ts';
import { pack } from '../tarball/pack.ts';
import { MACHINE_PATH } from './environment.ts';
import type { Registry } from './start-registry.ts';

/**
 * Publishes all packages as they are built, with the versions that they have now.
 *
 * @param folder for the tarballs and npm's files
 */
export async function publishTarballs({ settings }: Registry, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.npmrc'), settings);
  const place = { folder, env: { HOME: folder, PATH: MACHINE_PATH } };
  for (const { folder: source } of listPublished()) {
    const { file } = pack(join(ROOT, source), join(folder, 'tarballs'));
    await runCommand(place, ['npm', 'publish', file]);
  }
}
