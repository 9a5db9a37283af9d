import { readFileSync } from 'node:fs';

/** The package.json of this package, which is beside `src` and beside `dist`. */
export const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string; engines: { node: string } };
