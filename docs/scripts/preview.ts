import { rm } from 'node:fs/promises';
import { dev } from '@rspress/core';
import { stageSite, toSiteConfig } from './site.ts';

/** Serves the site. */
const PAGES = 'node_modules/.cache/preview';

process.env.NODE_ENV = 'development';

await rm(PAGES, { recursive: true, force: true });
await stageSite(PAGES);
await dev({ docDirectory: PAGES, config: await toSiteConfig(PAGES, 'dist/site') });
