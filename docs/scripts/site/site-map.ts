import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** A heading of the sidebar, with the Markdown files below it, from the root of the repository. */
export type Section = { text: string; collapsed?: boolean; files: string[] };

/** The pages that the build writes itself, because they come from built packages. */
export const BUILT_PAGES = ['docs/reference/command-lines.md', 'docs/project/changelog.md'];

/** The landing page, which is written from `docs/home.yaml`. */
export const HOME = 'docs/index.md';

/** What the site has, in the order of its sidebar. A file that is not named here is no page. */
export const SITE_MAP: Section[] = [
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
      'wire-profiles',
      'production',
      'mock',
      'conformance',
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
