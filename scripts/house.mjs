// `npm run house`: prints source files, lines of source and of tests by package, and the words of Markdown pages.
// Counts tracked files that are not generated, and of pages no code blocks.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

const CODE = /\.(ts|tsx|mts|js|mjs|cjs|css|html|sh)$/;
const GENERATED = /(^|\/)generated\/|\.gen\./;
const TEST = /\.test(-d)?\.ts$|(^|\/)test\//;

const listed = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const packages = new Map();
let words = 0;
for (const file of listed.filter((name) => !GENERATED.test(name))) {
  const read = () => readFileSync(join(ROOT, file), 'utf8');
  if (file.endsWith('.md')) words += countWords(read());
  if (!CODE.test(file)) continue;
  const [, name] = /^(packages\/[^/]+|[^/]+)/.exec(file);
  const row = packages.get(name) ?? { files: 0, lines: 0, 'test lines': 0 };
  const lines = read().split('\n').length - 1;
  if (TEST.test(file)) row['test lines'] += lines;
  else Object.assign(row, { files: row.files + 1, lines: row.lines + lines });
  packages.set(name, row);
}
const rows = [...packages.values()];
const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
packages.set('all', { files: sum('files'), lines: sum('lines'), 'test lines': sum('test lines') });
console.table(Object.fromEntries(packages));
console.log(`Words of Markdown: ${words}`);

function countWords(page) {
  if (page.startsWith('<!-- Generated')) return 0;
  const prose = page.replace(/^( *)```.*?^\1```$/gms, '');
  return prose.split(/\s+/).filter(Boolean).length;
}
