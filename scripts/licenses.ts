import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the names, versions and licences of the packages that bundled modules belong to. */
export function toLicenses(moduleIds: readonly string[]): string {
  const folders = moduleIds.map(toPackage).filter((folder) => folder !== undefined);
  const texts = [...new Set(folders)].map(describe).sort();
  return [...new Set(texts)].join(`\n${'-'.repeat(79)}\n\n`);
}

/** Returns the package that a module belongs to; undefined for the bundler's helpers and our own code. */
function toPackage(id: string): string | undefined {
  if (!id.includes('/node_modules/')) return undefined;
  let folder = dirname(id);
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** A subfolder may contain a manifest that only sets the module type. */
function isPackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version !== undefined;
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name}@${version} (${license})\n${text}`;
}
