import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A copy of the working tree, with what is installed here and nothing that was built. */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-checkout-'));
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of new Set(files.filter((file) => file.endsWith('/package.json')).map(dirname))) {
    const links = join(ROOT, name, 'node_modules');
    if (existsSync(links)) cpSync(links, join(folder, name, 'node_modules'), COPY_LINKS);
  }
  return folder;
}

const COPY_LINKS = { recursive: true, verbatimSymlinks: true } as const;
