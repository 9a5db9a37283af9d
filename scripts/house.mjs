// `npm run house`: prints source files, lines of source and of tests by package, and the words of Markdown pages.
// Counts tracked files that are not generated, and of pages no code blocks.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

const CODE = /\.(ts|tsx|mts|js|mjs|cjs|css|html|sh)$/;
const GENERATED = /(^|\/)generated\/|\.gen\./;
const TEST = /\.test(-d)?\.ts$|(^|\/)test\//;
const BLOCK = /^( *)```.*?^\1```$/gms;

const table = {};
let words = 0;
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
for (const file of files.filter((name) => !GENERATED.test(name))) {
  const isCode = CODE.test(file);
  if (!isCode && !file.endsWith('.md')) continue;
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (isCode) {
    const lines = text.split('\n').length - 1;
    const [name] = /^(packages\/[^/]+|[^/]+)/.exec(file);
    for (const key of [name, 'all']) {
      table[key] ??= { files: 0, lines: 0, 'test lines': 0 };
      if (TEST.test(file)) table[key]['test lines'] += lines;
      else {
        table[key].files += 1;
        table[key].lines += lines;
      }
    }
  } else if (!text.startsWith('<!-- Generated')) {
    words += text.replace(BLOCK, '').split(/\s+/).filter(Boolean).length;
  }
}
const { all, ...packages } = table;
console.table({ ...packages, all });
console.log(`Words of Markdown: ${words}`);
