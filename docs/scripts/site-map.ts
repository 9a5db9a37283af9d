import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A heading of the sidebar, with the Markdown files below it, from the root of the repository. */
type Group = { text: string; collapsed?: boolean; files: string[] };

/** The landing page. */
export const HOME = 'docs/home.md';

/** The API reference, which the build writes from each document. */
export const API_PAGES: Record<string, string> = {
  'gateway.v1': 'docs/api/gateway.v1.md',
  'storage.v2': 'docs/api/storage.v2.md',
};

/** The pages that the build writes, since they need built packages. */
export const COMMAND_LINES_PAGE = 'docs/reference/command-lines.md';
export const CHANGELOG_PAGE = 'docs/project/changelog.md';

/** The pages of the site, in the order of its sidebar. Other files are not pages. */
export const SITE_MAP: Group[] = [
  {
    text: 'Quick starts',
    files: ['client', 'mock', 'conformance', 'stubs', 'server'].map(
      (name) => `docs/start/${name}.md`,
    ),
  },
  {
    text: 'Guides',
    files: [
      'browser',
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
    files: [
      ...Object.values(API_PAGES),
      ...find('docs/reference/*.md'),
      COMMAND_LINES_PAGE,
      'docs/glossary.md',
    ],
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
      CHANGELOG_PAGE,
    ],
  },
];

function find(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT }).sort();
}
