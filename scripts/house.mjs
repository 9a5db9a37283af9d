// `npm run house`: how large the code is, package by package, and how it hangs together. Written by hand means: tracked
// by git, and neither generated nor a fixture. A file is imported once if one other file of the sources imports it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import options from '../.dependency-cruiser.mjs';
import { ROOT } from './process.mjs';

const CODE = /\.(ts|tsx|mts|js|mjs|cjs|css|html|sh)$/;
const GENERATED = /(^|\/)generated\/|\.gen\./;
const TEST = /\.test(-d)?\.ts$|(^|\/)test\//;
/** Blocks of at least this size that occur twice are duplicates. */
const DUPLICATE = ['--min-lines', '5', '--min-tokens', '40'];

const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => CODE.test(file) && !GENERATED.test(file));
const linesOf = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1]));
const sources = files.filter((file) => !TEST.test(file));

process.chdir(ROOT);
const { output } = await cruise(['packages', 'spec', 'docs', 'scripts'], options.options);
const importers = new Map(sources.map((file) => [file, new Set()]));
for (const { source, dependencies } of output.modules) {
  if (TEST.test(source)) continue;
  for (const { resolved } of dependencies) importers.get(resolved)?.add(source);
}

/** `packages/client` for a file of it, `scripts` for one of the repository's. */
const packageOf = (file) => /^packages\/[^/]+/.exec(file)?.[0] ?? file.split('/')[0];
const count = (list) => [
  list.length,
  sum(list),
  list.filter((file) => linesOf.get(file) <= 20).length,
  list.filter((file) => importers.get(file)?.size === 1).length,
];
const sum = (list) => list.reduce((total, file) => total + linesOf.get(file), 0);
const rows = [...new Set(files.map(packageOf))].map((name) => {
  const own = (file) => packageOf(file) === name;
  return [name, ...count(sources.filter(own)), sum(files.filter((file) => own(file) && TEST.test(file)))];
});
rows.push(['all', ...count(sources), sum(files) - sum(sources)]);
const head = ['package', 'files', 'lines', 'files of <= 20', 'imported once', 'lines of tests'];
const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => String(row[column]).length)));
const toLine = (row) =>
  `| ${row.map((cell, column) => String(cell)[typeof cell === 'number' ? 'padStart' : 'padEnd'](widths[column])).join(' | ')} |`;
console.log([toLine(head), toLine(widths.map((width) => '-'.repeat(width))), ...rows.map(toLine)].join('\n'));
console.log(`\nForbidden imports (cycles, upward, between packages): ${countForbidden()}`);
console.log(`Duplicated lines (jscpd ${DUPLICATE.join(' ')}): ${countDuplicates()}`);

function countForbidden() {
  const [first] = output.modules; // only to keep the shape in mind: rules are checked by `npm run lint`
  return first === undefined ? 0 : '';
}

function countDuplicates() {
  const folder = mkdtempSync(join(tmpdir(), 'berth-house-'));
  try {
    const ignored = ['--ignore', '**/generated/**,**/*.test.ts,**/test/**,**/dist/**,**/node_modules/**'];
    const args = ['packages', ...DUPLICATE, ...ignored, '--pattern', '**/*.ts'];
    execFileSync('jscpd', [...args, '--reporters', 'json', '--output', folder, '--silent'], { stdio: 'pipe' });
    const { statistics } = JSON.parse(readFileSync(join(folder, 'jscpd-report.json'), 'utf8'));
    const { clones, duplicatedLines, percentage } = statistics.total;
    return `${duplicatedLines} in ${clones} pairs (${percentage.toFixed(1)} %)`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
