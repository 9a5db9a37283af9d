import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Copies the working tree and its dependencies to a new repository, without accessing a registry or
 * running scripts.
 */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-checkout-'));
  const files = copyWorkingTree(folder);
  for (const file of files.filter((name) => basename(name) === 'package.json')) {
    copyInstalled(join(dirname(file), 'node_modules'), folder);
  }
  symlinkSync(join(ROOT, 'node_modules/.pnpm'), join(folder, 'node_modules/.pnpm'));
  return folder;
}

/** Copies the working tree to a new repository, as it would be committed. Returns the paths of the files. */
export function copyWorkingTree(folder: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const files = listed.filter((name) => name && existsSync(join(ROOT, name)));
  for (const file of files) cpSync(join(ROOT, file), join(folder, file));
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '.'], { cwd: folder });
  return files;
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
