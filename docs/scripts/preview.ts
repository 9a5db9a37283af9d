import { watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dev } from '@rspress/core';
import { FILES, stageSite, toSiteConfig } from './site.ts';

/** Serves the site, and reloads the pages in the browser when their Markdown changes. */
const PAGES = 'node_modules/.cache/preview';
const ROOT = join(import.meta.dirname, '../..');

/** Editors write a file in several steps. */
const SETTLE_MS = 100;

process.env.NODE_ENV = 'development';

await rm(PAGES, { recursive: true, force: true });

const stage = await stageSite(PAGES);

await dev({ docDirectory: PAGES, config: await toSiteConfig(PAGES, 'dist/site') });

let timer: NodeJS.Timeout | undefined;

for (const folder of new Set(FILES.map(dirname))) {
  const path = join(ROOT, folder);
  watch(path, (_event, name) => {
    if (!name?.endsWith('.md')) return;
    clearTimeout(timer);
    // A broken link is shown, and the preview goes on.
    timer = setTimeout(
      () => stage().catch(({ message }) => process.stderr.write(`${message}\n`)),
      SETTLE_MS,
    );
  });
}
