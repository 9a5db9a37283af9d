// Prints each use of a word in words.yaml in the repository's prose, and each wrong quotation of a
// decision: in Markdown and YAML, and with `--typescript` also in comments, messages and test titles.
// `--count` prints numbers by package instead.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMisquotations } from './find-misquotations.ts';
import { lintText } from './lint-text.ts';

const { values } = parseArgs({
  options: { typescript: { type: 'boolean' }, count: { type: 'boolean' } },
});
const ROOT = join(import.meta.dirname, '../..');
const NOT_BY_HAND = /(^|\/)generated\/|\.gen\.|^pnpm-|(^|\/)CHANGELOG\.md$|^spec\/released\//;
const GENERATED_PAGE = /^<!-- Generated /;
const extensions = ['md', 'yaml', 'yml', ...(values.typescript ? ['ts', 'tsx', 'mjs'] : [])];
const listed = extensions.map((extension) => `*.${extension}`);
const files = execFileSync('git', ['ls-files', ...listed], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && !NOT_BY_HAND.test(file));

const counts = new Map<string, number>();
for (const file of files) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (GENERATED_PAGE.test(text)) continue;
  const findings = [...lintText(text, file), ...findMisquotations(text)];
  const name = /^packages\/[^/]+/.exec(file)?.[0] ?? file.split('/')[0] ?? '';
  if (findings.length > 0) counts.set(name, (counts.get(name) ?? 0) + findings.length);
  if (values.count) continue;
  for (const { line, column, message } of findings) {
    console.log(`${file}:${line}:${column}: ${message}`);
  }
}
for (const [name, count] of counts) if (values.count) console.log(`${count}\t${name}`);
const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `${total} findings in ${files.length} files (words to avoid: scripts/prose/words.yaml).`,
);
process.exitCode = total > 0 ? 1 : 0;
