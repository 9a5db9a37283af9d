import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A heading of the sidebar, with the Markdown files below it, from the root of the repository. */
type Group = { text: string; collapsed?: boolean; files: string[] };

/** The landing page. */
export const HOME = 'README.md';

/** The pages of the site, in the order of its sidebar. Other files are not pages. */
export const SITE_MAP: Group[] = [
  { text: 'Guides', files: find('docs/guides/*.md') },
  {
    text: 'Packages',
    files: find('{packages/{client,mock,conformance,server-stubs,storage,server},spec}/README.md'),
  },
  { text: 'Reference', files: find('docs/{decisions,design,reference/*}.md') },
  {
    text: 'Project',
    collapsed: true,
    files: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  },
];

function find(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT }).sort();
}
