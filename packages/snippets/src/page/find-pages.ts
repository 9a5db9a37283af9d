import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../../..');

/** Pages that people type from. Pages below docs/reference are generated, and decisions contain no code. */
const PAGES = [
  '*.md',
  'docs/*.md',
  'docs/{start,guides}/**/*.md',
  'packages/*/README.md',
  'packages/*/fixture/README.md',
  'spec/README.md',
];

/** Finds the pages to check. Returns their paths relative to the repository root, in alphabetical order. */
export function findPages(): string[] {
  return globSync(PAGES, { cwd: ROOT }).sort();
}
