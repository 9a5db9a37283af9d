// Prints each use of a word in words.yaml in the repository's prose, and each wrong quotation of a
// decision: in Markdown and YAML, and in comments, messages and test titles of TypeScript.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMisquotations } from './find-misquotations.ts';
import { lintText } from './lint-text.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOT_BY_HAND = /(^|\/)generated\/|\.gen\.|^pnpm-|(^|\/)CHANGELOG\.md$|^spec\/released\//;
const GENERATED_PAGE = /^<!-- Generated /;
const listed = ['md', 'yaml', 'yml', 'ts', 'tsx', 'mjs'].map((extension) => `*.${extension}`);
const files = execFileSync('git', ['ls-files', ...listed], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && !NOT_BY_HAND.test(file));

let total = 0;
for (const file of files) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (GENERATED_PAGE.test(text)) continue;
  for (const { line, column, message } of [...lintText(text, file), ...findMisquotations(text)]) {
    console.log(`${file}:${line}:${column}: ${message}`);
    total += 1;
  }
}
console.log(
  `${total} findings in ${files.length} files (words to avoid: scripts/prose/words.yaml).`,
);
process.exitCode = total > 0 ? 1 : 0;
