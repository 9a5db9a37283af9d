// `site.ts build` writes the site to `dist/site`; `site.ts preview` serves it.
import { globSync } from 'node:fs';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, dev, type UserConfig } from '@rspress/core';
import { stageApiPage } from './stage-api-page.ts';
import { stagePages, toPagePath } from './stage-pages.ts';

const DOCS = join(import.meta.dirname, '..');
const ROOT = join(DOCS, '..');

/** The sidebar: each heading with the Markdown files below it. */
const SIDEBAR: Readonly<Record<string, string[]>> = {
  Mocks: toGuides('mock', 'msw', 'service-contracts'),
  Calls: toGuides('uploads', 'streaming', 'errors', 'auth'),
  Integration: toGuides('browser', 'other-libraries', 'other-languages'),
  Servers: toGuides('own-server', 'production', 'conformance', 'wire-profiles'),
  Packages: find('{packages/{client,mock,conformance,server-stubs,storage,server},spec}/README.md'),
  Reference: find('docs/{decisions,design,reference/*}.md'),
  Project: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
};

const isBuild = process.argv[2] === 'build';
const pages = join(DOCS, isBuild ? 'dist/pages' : 'node_modules/.cache/preview');

process.env.NODE_ENV = isBuild ? 'production' : 'development';
// Its cache does not notice a change of the configuration.
process.env.RSPRESS_PERSISTENT_CACHE = 'false';
await rm(pages, { recursive: true, force: true });
await stagePages(['README.md', ...Object.values(SIDEBAR).flat()], pages);
await cp(join(DOCS, 'theme/icon.svg'), join(pages, 'public/icon.svg'));
await stageApiPage(join(pages, 'public'));
await (isBuild ? build : dev)({ docDirectory: pages, config: await toConfig() });

function toGuides(...names: string[]): string[] {
  return names.map((name) => `docs/guides/${name}.md`);
}

function find(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT }).sort();
}

async function toConfig(): Promise<UserConfig> {
  const sidebar = Object.entries(SIDEBAR).map(async ([text, files]) => {
    const items = await Promise.all(files.map(toItem));
    return { text, collapsible: true, collapsed: text === 'Project', items };
  });
  return {
    root: pages,
    outDir: join(DOCS, 'dist/site'),
    icon: '/icon.svg',
    logo: '/icon.svg',
    logoText: 'Berth',
    title: 'Berth',
    description: 'The contract of one HTTP API, with its client, stubs, mock, server and suite.',
    llms: true,
    globalStyles: join(DOCS, 'theme/site.css'),
    mediumZoom: false,
    markdown: {
      // Copies of other files: staging the pages fails if there is no such file.
      link: { checkDeadLinks: { excludes: (url: string) => url.startsWith('/source/') } },
    },
    themeConfig: {
      nav: [
        { text: 'Guides', link: '/guides/mock' },
        { text: 'Reference', link: '/reference/rules' },
        { text: 'API', link: '/api/index.html' },
      ],
      sidebar: { '/': await Promise.all(sidebar) },
      llmsUI: { viewOptions: false },
    },
  };
}

/** An entry of the sidebar, with the title of its page. */
async function toItem(file: string) {
  const text = await readFile(join(ROOT, file), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  return { text: title.replaceAll('`', ''), link: `/${toPagePath(file).replace(/\.md$/, '')}` };
}
