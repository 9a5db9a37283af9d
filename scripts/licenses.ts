import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the names, versions and licences of the packages that bundled modules belong to. */
export function toLicenses(moduleIds: readonly string[]): string {
  // Others are the bundler's helpers and our own code.
  const foreign = moduleIds.filter((id) => id.includes('/node_modules/'));
  const texts = [...new Set(foreign.map(toPackage))].map(describe).sort();
  return [...new Set(texts)].join(`\n${'-'.repeat(79)}\n\n`);
}

/** Returns the folder of a module's package. A subfolder may contain a manifest that only sets the module type. */
function toPackage(path: string): string {
  const folder = dirname(path);
  const file = join(folder, 'package.json');
  const isPackage = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version;
  return isPackage ? folder : toPackage(folder);
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name}@${version} (${license})\n${text}`;
}
