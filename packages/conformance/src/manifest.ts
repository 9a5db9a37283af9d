import { readFileSync } from 'node:fs';

/** This package's package.json, which is next to `src` and `dist`. */
export const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string; engines: { node: string } };
