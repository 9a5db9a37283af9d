import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A fresh repository with the files of the working tree, installed from what this machine has. */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-checkout-'));
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  const options = { cwd: folder, stdio: 'ignore' } as const;
  execFileSync('git', ['init'], options);
  execFileSync('git', ['add', '.'], options);
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], options);
  return folder;
}
