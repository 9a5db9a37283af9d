import { globSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import client from '@berth/client/package.json' with { type: 'json' };
import type { UserConfig } from '@rspress/core';
import { toApiPages } from './api-pages.ts';
import { toChangelog, toCommandLines } from './built-pages.ts';
import {
  API_PAGES,
  CHANGELOG_PAGE,
  COMMAND_LINES_PAGE,
  HOME,
  SITE_MAP,
} from './site-map.ts';
import { stagePages, toPagePath } from './stage-pages.ts';

const DOCS = join(import.meta.dirname, '..');
const ROOT = join(DOCS, '..');

/** Pages load nothing from other hosts, and send nothing there. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'";

/** The Markdown files of the repository that are pages. */
export const FILES = [HOME, ...SITE_MAP.flatMap(({ files }) => files)];

/**
 * Writes what Rspress reads to `pages`: Markdown, images and the icon.
 *
 * @returns a function that writes the pages again that have changed
 */
export async function stageSite(pages: string): Promise<() => Promise<void>> {
  const frontMatter = await readFile(join(DOCS, 'home.yaml'), 'utf8');
  const home = await readFile(join(DOCS, 'home.md'), 'utf8');
  const built = new Map([
    [HOME, `---\n${frontMatter}---\n\n${home}`],
    [COMMAND_LINES_PAGE, await toCommandLines()],
    [CHANGELOG_PAGE, await toChangelog()],
    ...toApiPages(),
  ]);
  const stage = () => stagePages(FILES, built, pages);
  await stage();
  await cp(join(DOCS, 'theme/icon.svg'), join(pages, 'public/icon.svg'));
  await copySchemas(join(pages, 'public/schemas'));
  return stage;
}

/** Copies the JSON Schemas of configuration files: `schemas/server/config.schema.json` and so on. */
async function copySchemas(folder: string): Promise<void> {
  for (const file of globSync('{spec,packages/*}/package.json', { cwd: ROOT })) {
    const { exports = {} } = JSON.parse(await readFile(join(ROOT, file), 'utf8'));
    for (const [entry, target] of Object.entries<string | Record<string, string>>(exports)) {
      if (!entry.endsWith('.schema.json')) continue;
      const source = typeof target === 'string' ? target : (target['berth-source'] ?? '');
      const place = join(folder, basename(dirname(file)), entry);
      await cp(join(ROOT, dirname(file), source), place);
    }
  }
}

/** The Rspress configuration. The sidebar follows the site map and uses the titles of the pages. */
export async function toSiteConfig(pages: string, outDir: string): Promise<UserConfig> {
  const toItem = async (file: string) => {
    const text = await readFile(join(pages, toPagePath(file)), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
    return { text: title.replaceAll('`', ''), link: toRoute(file) };
  };
  const sidebar = await Promise.all(
    SITE_MAP.map(async ({ text, files, collapsed = false }) => ({
      text,
      collapsible: true,
      collapsed,
      items: await Promise.all(files.map(toItem)),
    })),
  );
  return {
    root: pages,
    outDir,
    themeDir: join(DOCS, 'theme'),
    globalStyles: join(DOCS, 'theme/index.css'),
    icon: '/icon.svg',
    logo: '/icon.svg',
    logoText: 'Berth',
    title: 'Berth',
    description: 'The contract of one HTTP API, with its client, stubs, mock, server and suite.',
    // The preview needs a connection to reload.
    head:
      process.env.NODE_ENV === 'production'
        ? [`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`]
        : [],
    llms: true,
    mediumZoom: false,
    markdown: {
      rehypePlugins: [rehypeQuietAnchors],
      link: {
        checkDeadLinks: {
          // Files next to the pages: a test checks that they exist.
          excludes: (url: string) => /(^|\/)(source|api|gateway\.v1|storage\.v2)\//.test(url),
        },
      },
    },
    themeConfig: {
      // Offer to copy pages as Markdown, without links to other hosts.
      llmsUI: { viewOptions: false },
      nav: [
        { text: 'Quick start', link: '/start/client' },
        { text: 'Guides', link: '/guides/uploads' },
        { text: 'Reference', link: '/reference/operations' },
        {
          text: 'API',
          items: await Promise.all(
            [...Object.values(API_PAGES), 'docs/reference/downloads.md'].map(toItem),
          ),
        },
        { text: `v${client.version}`, link: '/project/changelog' },
      ],
      sidebar: { '/': sidebar },
    },
  };
}

type Element = { tagName?: string; properties?: Record<string, unknown>; children?: Element[] };

/** Keeps the `#` links of headings, which Rspress hides from screen readers, out of the tab order too. */
function rehypeQuietAnchors() {
  return function quiet({ tagName, properties, children = [] }: Element): void {
    if (tagName === 'a' && properties?.ariaHidden) properties.tabIndex = -1;
    children.forEach(quiet);
  };
}

/** The route of a page, as Rspress names it. */
function toRoute(file: string): string {
  return `/${toPagePath(file).replace(/(index)?\.md$/, '')}`;
}
