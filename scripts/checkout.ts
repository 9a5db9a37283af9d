import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Copies the working tree and its dependencies to a new repository, without accessing a registry or
 * running scripts.
 */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-checkout-'));
  for (const file of listFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
    if (basename(file) === 'package.json')
      copyInstalled(join(dirname(file), 'node_modules'), folder);
  }
  symlinkSync(join(ROOT, 'node_modules/.pnpm'), join(folder, 'node_modules/.pnpm'));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '.'], { cwd: folder });
  return folder;
}

function listFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return files.filter((name) => name && existsSync(join(ROOT, name)));
}

/** Relative links point to packages in the copy or, through `.pnpm`, to installed ones. */
function copyInstalled(path: string, folder: string): void {
  if (!existsSync(join(ROOT, path))) return;
  cpSync(join(ROOT, path), join(folder, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !/^\.(?!bin$)/.test(basename(source)),
  });
}
