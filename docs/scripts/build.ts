import { rm } from 'node:fs/promises';
import { build } from '@rspress/core';
import { stageSite, toSiteConfig } from './site.ts';

/** Builds the site in `dist/site` from the Markdown in `dist/pages`. */
const PAGES = 'dist/pages';

process.env.NODE_ENV = 'production';
// Its cache does not notice a change of the configuration.
process.env.RSPRESS_PERSISTENT_CACHE = 'false';

await rm('dist', { recursive: true, force: true });

await stageSite(PAGES);

await build({ docDirectory: PAGES, config: await toSiteConfig(PAGES, 'dist/site') });
