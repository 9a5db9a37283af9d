import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserConfig } from '@rspress/core';
import { HOME, SITE_MAP } from './site-map.ts';
import { stageApiPage } from './stage-api-page.ts';
import { stagePages, toPagePath } from './stage-pages.ts';

const DOCS = join(import.meta.dirname, '..');

/** The Markdown files of the repository that are pages. */
const FILES = [HOME, ...SITE_MAP.flatMap(({ files }) => files)];

/** Writes what Rspress reads to `pages`: Markdown, images, the icon and the API reference. */
export async function stageSite(pages: string): Promise<void> {
  await stagePages(FILES, pages);
  await cp(join(DOCS, 'theme/icon.svg'), join(pages, 'public/icon.svg'));
  await stageApiPage(join(pages, 'public'));
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
    icon: '/icon.svg',
    logo: '/icon.svg',
    logoText: 'Berth',
    title: 'Berth',
    description: 'The contract of one HTTP API, with its client, stubs, mock, server and suite.',
    llms: true,
    globalStyles: join(DOCS, 'theme/site.css'),
    mediumZoom: false,
    markdown: {
      rehypePlugins: [() => skipAnchors],
      link: {
        checkDeadLinks: {
          // Copies of other files: staging the pages fails if there is no such file.
          excludes: (url: string) => /(^|\/)source\//.test(url),
        },
      },
    },
    themeConfig: {
      nav: [
        { text: 'Guides', link: '/guides/uploads' },
        { text: 'Reference', link: '/reference/rules' },
        { text: 'API', link: '/api/index.html' },
      ],
      sidebar: { '/': sidebar },
      llmsUI: { viewOptions: false },
    },
  };
}

/** The route of a page, as Rspress names it. */
function toRoute(file: string): string {
  return `/${toPagePath(file).replace(/(index)?\.md$/, '')}`;
}

/** Takes the anchors of headings, which are hidden from screen readers, out of the tab order as well. */
function skipAnchors(node: HastNode): void {
  if (String(node.properties?.className) === 'rp-header-anchor')
    Object.assign(node.properties ?? {}, { tabIndex: -1 });
  node.children?.forEach(skipAnchors);
}

/** What is used of a node of the HTML syntax tree. */
interface HastNode {
  properties?: Record<string, unknown>;
  children?: HastNode[];
}
