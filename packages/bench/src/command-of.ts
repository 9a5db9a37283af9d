import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The file behind the one command of a package. */
export function commandOf(name: string): string {
  const manifest = require.resolve(`${name}/package.json`);
  const [file] = Object.values<string>(require(manifest).bin);
  return join(dirname(manifest), file as string);
}
