import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import list from '@berth/spec/downloads.json' with { type: 'json' };
import sampleList from '@berth/spec/samples.json' with { type: 'json' };
import { build, type UserConfig } from '@rspress/core';
import { parse } from 'yaml';
import { stagePages, toPagePath } from './stage-pages.ts';

const ROOT = join(import.meta.dirname, '../..');

const samplesOf: Record<string, object[]> = sampleList.samples;

const require = createRequire(import.meta.url);

const CLI = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');

const HOSTED_LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;

const LOGO = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="44" height="12"><text y="10" font-family="sans-serif" font-size="10" fill="#46566a">Redocly</text></svg>',
)}`;

const ICON = '<link rel="icon" href="../icon.svg">';

/** The head of an API page: links to the site and to the document in its formats. */
function toHead(name: string): string {
  const own = list.downloads.filter(({ path }) => path.startsWith(`${name}/`));
  const links = own.map(({ path }) => `<a href="${path}" download>${basename(path)}</a>`);
  const rest = '<a href="../reference/downloads.html">more</a>';
  return `<p style="margin: 0; padding: 8px 20px; font: 14px sans-serif"><a href="../index.html">Berth docs</a> · Download: ${[...links, rest].join(', ')}</p>`;
}

/** The API reference of both documents: one self-contained page each. */
async function buildApiPages(folder: string): Promise<void> {
  for (const name of ['gateway.v1', 'storage.v2']) {
    const document = join(folder, `${name}.json`);
    await mkdir(folder, { recursive: true });
    await writeFile(document, await readWithSamples(name));
    const page = join(folder, `${name}.html`);
    await promisify(execFile)(
      process.execPath,
      [CLI, 'build-docs', document, '--inlineBundle', '--output', page],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    await rm(document);
    const html = await readFile(page, 'utf8');
    const local = html
      .replaceAll(HOSTED_LOGO, LOGO)
      .replace('</head>', `${ICON}\n</head>`)
      .replace('<body>', `<body>\n  ${toHead(name)}`);
    await writeFile(page, local);
  }
}

/** A document with the samples of its operations, in the extension that Redoc shows. */
async function readWithSamples(name: string): Promise<string> {
  const text = await readFile(require.resolve(`@berth/spec/${name}.json`), 'utf8');
  return JSON.stringify(JSON.parse(text), (_, value) => {
    const samples = value && samplesOf[value.operationId];
    return samples ? { ...value, 'x-codeSamples': samples } : value;
  });
}

/** A heading of the sidebar, with the Markdown files below it, from the root of the repository. */
type Section = { text: string; collapsed?: boolean; files: string[] };

/** The pages that the build writes, since they need built packages. */
const BUILT_PAGES = ['docs/reference/command-lines.md', 'docs/project/changelog.md'];

/** The landing page, generated from `docs/home.yaml`. */
const SITE_MAP_HOME = 'docs/index.md';

/** The pages of the site, in the order of its sidebar. Other files are not pages. */
const SITE_MAP: Section[] = [
  {
    text: 'Quick starts',
    files: ['client', 'mock', 'conformance', 'stubs', 'server'].map(
      (name) => `docs/start/${name}.md`,
    ),
  },
  {
    text: 'Guides',
    files: [
      'uploads',
      'streaming',
      'errors',
      'auth',
      'service-contracts',
      'wire-profiles',
      'production',
      'several-processes',
      'mock',
      'conformance',
      'client-conformance',
      'python',
      'go',
      'new-operation',
    ].map((name) => `docs/guides/${name}.md`),
  },
  {
    text: 'Packages',
    files: [
      ...['client', 'mock', 'conformance', 'server-stubs', 'server'].map(
        (name) => `packages/${name}/README.md`,
      ),
      'packages/conformance/fixture/README.md',
      'spec/README.md',
    ],
  },
  {
    text: 'Reference',
    files: [...find('docs/reference/*.md'), 'docs/reference/command-lines.md', 'docs/glossary.md'],
  },
  { text: 'Decisions', collapsed: true, files: find('docs/decisions/*.md') },
  {
    text: 'Project',
    collapsed: true,
    files: [
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'docs/about-this-site.md',
      'docs/project/changelog.md',
    ],
  },
];

function find(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT }).sort();
}

/** The changelog: the next release, then each package by version. */
async function toChangelog(): Promise<string> {
  const pending = new Map<string, string[]>();
  for (const file of globSync('.changeset/*.md', { cwd: ROOT }).sort()) {
    if (basename(file) === 'README.md') continue;
    const { packages, text } = parseChangeset(await readFile(join(ROOT, file), 'utf8'));
    for (const name of packages) pending.set(name, [...(pending.get(name) ?? []), text]);
  }
  const next = [...pending]
    .sort()
    .map(([name, texts]) => toSectionToChangelog(`### ${name}`, texts));

  const released = globSync('{spec,packages/*}/CHANGELOG.md', { cwd: ROOT }).sort();
  const logs = released.map(async (file) => {
    const log = await readFile(join(ROOT, file), 'utf8');
    return log
      .replace(/^# .*$/m, `## @berth/${basename(dirname(file))}`)
      .replace(/^##(?=#)/gm, '##');
  });
  const parts = [
    '# Changelog',
    next.length > 0 ? `## Next release\n\n${next.join('\n')}` : '',
    ...(await Promise.all(logs)),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function parseChangeset(changeset: string): { packages: string[]; text: string } {
  const [, head = '', text = ''] = /^---\n(.*?)---\n(.*)$/s.exec(changeset) ?? [];
  return { packages: Object.keys(parse(head) ?? {}), text: text.trim().replace(/\s*\n\s*/g, ' ') };
}

function toSectionToChangelog(heading: string, texts: string[]): string {
  return `${heading}\n\n${texts.map((text) => `- ${text}`).join('\n')}\n`;
}

const BIN = join(import.meta.dirname, '../node_modules/.bin');

/** Each command line with its subcommands. */
const COMMAND_LINES = {
  'berth-mock': [],
  'berth-conformance': ['fixture'],
  'berth-server': ['token', 'check-config', 'fsck'],
  berth: ['cp', 'url', 'rm', 'mv', 'call', 'tail'],
  'berth-stubs': ['init'],
};

/** The page with the `--help` output of all commands. */
async function toCommandLines(): Promise<string> {
  const sections = Object.entries(COMMAND_LINES).flatMap(([name, commands]) => [
    toSection('##', name, []),
    ...commands.map((command) => toSection('###', name, [command])),
  ]);
  return `# Command lines

The output of \`--help\`. Each command is part of the package with its name: use \`npx berth-mock\` if \`@berth/mock\`
is installed, and \`npx @berth/mock\` otherwise. \`berth\` is part of \`@berth/client\`.

${(await Promise.all(sections)).join('\n')}`;
}

async function toSection(heading: string, name: string, command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(BIN, name), [...command, '--help'], {
    env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
  });
  return `${heading} ${[name, ...command].join(' ')}\n\n\`\`\`text\n${stdout.trim()}\n\`\`\`\n`;
}

const THEME = join(import.meta.dirname, '../theme');

/** The Rspress configuration. The sidebar follows the site map and uses the titles of the pages. */
async function toSiteConfig(pages: string): Promise<UserConfig> {
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
      // Offer to copy pages as Markdown, without links to other hosts.
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
            { text: 'Downloads', link: '/reference/downloads' },
          ],
        },
      ],
      sidebar: { '/': sidebar },
    },
  };
}

/** Builds the site in `dist/site` from the Markdown in `dist/pages`. */
const PAGES = 'dist/pages';

process.env.NODE_ENV = 'production';

await rm('dist', { recursive: true, force: true });

const [commandLines = '', changelog = ''] = BUILT_PAGES;

const built = new Map([
  [commandLines, await toCommandLines()],
  [changelog, await toChangelog()],
  [SITE_MAP_HOME, `---\n${await readFile('home.yaml', 'utf8')}---\n`],
]);

await stagePages([SITE_MAP_HOME, ...SITE_MAP.flatMap(({ files }) => files)], built, PAGES);

await cp('theme/icon.svg', `${PAGES}/public/icon.svg`);

await buildApiPages(`${PAGES}/public/api`);

await build({ docDirectory: PAGES, config: await toSiteConfig(PAGES) });
