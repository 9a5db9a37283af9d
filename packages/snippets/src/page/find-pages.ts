import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../../..');

/** Pages that people type from. Those below docs/reference are generated, those of decisions hold no code. */
const PAGES = [
  '*.md',
  'docs/*.md',
  'docs/{start,guides}/**/*.md',
  'packages/*/README.md',
  'packages/*/fixture/README.md',
  'spec/README.md',
];

/** Paths from the root of the repository, in the order of the alphabet. */
export function findPages(): string[] {
  return globSync(PAGES, { cwd: ROOT }).sort();
}
