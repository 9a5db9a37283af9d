import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserConfig } from '@rspress/core';
import { SITE_MAP } from './site-map.ts';
import { toPagePath } from './to-page-path.ts';

const THEME = join(import.meta.dirname, '../../theme');

/** The configuration of Rspress: the sidebar is the site map, its titles those of the pages. */
export async function toSiteConfig(pages: string): Promise<UserConfig> {
  const toItem = async (file: string) => {
    const page = toPagePath(file);
    const text = await readFile(join(pages, page), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? page;
    return { text: title.replaceAll('`', ''), link: `/${page.replace(/(index)?\.md$/, '')}` };
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
    outDir: 'dist/site',
    globalStyles: join(THEME, 'index.css'),
    icon: '/icon.svg',
    title: 'Berth',
    description: 'The contract of one HTTP API, with its client, stubs, mock, server and suite.',
    llms: true,
    mediumZoom: false,
    markdown: {
      link: {
        checkDeadLinks: { excludes: (url: string) => /(^|\/)(source|api)\//.test(url) },
      },
    },
    themeConfig: {
      // Pages can be copied as Markdown, and lead to no other host for it.
      llmsUI: { viewOptions: false },
      nav: [
        { text: 'Start', link: '/start/client' },
        { text: 'Guides', link: '/guides/uploads' },
        { text: 'Reference', link: '/reference/operations' },
        {
          text: 'API',
          items: [
            { text: 'Gateway, v1', link: '/api/gateway.v1.html' },
            { text: 'Storage, v2', link: '/api/storage.v2.html' },
          ],
        },
      ],
      sidebar: { '/': sidebar },
    },
  };
}
