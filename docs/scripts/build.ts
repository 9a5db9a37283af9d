import { cp, readFile, rm } from 'node:fs/promises';
import { build } from '@rspress/core';
import { buildApiPages } from './site/build-api-pages.ts';
import { BUILT_PAGES, HOME, SITE_MAP } from './site/site-map.ts';
import { stagePages } from './site/stage-pages.ts';
import { toChangelog } from './site/to-changelog.ts';
import { toCommandLines } from './site/to-command-lines.ts';
import { toSiteConfig } from './site/to-site-config.ts';

/** Builds the site in `dist/site`; `dist/pages` has the Markdown that it is made of. */
const PAGES = 'dist/pages';

process.env.NODE_ENV = 'production';
await rm('dist', { recursive: true, force: true });
const [commandLines = '', changelog = ''] = BUILT_PAGES;
const built = new Map([
  [commandLines, await toCommandLines()],
  [changelog, await toChangelog()],
  [HOME, `---\n${await readFile('home.yaml', 'utf8')}---\n`],
]);
await stagePages([HOME, ...SITE_MAP.flatMap(({ files }) => files)], built, PAGES);
await cp('theme/icon.svg', `${PAGES}/public/icon.svg`);
await buildApiPages(`${PAGES}/public/api`);
await build({ docDirectory: PAGES, config: await toSiteConfig(PAGES) });
