// `npm run house`: prints the size and structure of the code by package. Counts tracked files that are
// not generated. "Imported once" means that exactly one other source file imports it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import boundaries from '../.dependency-cruiser.mjs';
import { ROOT } from './process.mjs';

const CODE = /\.(ts|tsx|mts|js|mjs|cjs|css|html|sh)$/;
const GENERATED = /(^|\/)generated\/|\.gen\./;
const TEST = /\.test(-d)?\.ts$|(^|\/)test\//;
/** Minimum size of a duplicated block. */
const DUPLICATE = ['--min-lines', '5', '--min-tokens', '40'];

process.chdir(ROOT);
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => CODE.test(file) && !GENERATED.test(file));
const linesOf = new Map(
  files.map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1]),
);
const sources = files.filter((file) => !TEST.test(file));

const { forbidden, options } = boundaries;
const rules = { validate: true, ruleSet: { forbidden, options } };
const { output } = await cruise(['packages', 'spec', 'docs', 'scripts'], { ...options, ...rules });
const importers = new Map(sources.map((file) => [file, new Set()]));
for (const { source, dependencies } of output.modules) {
  if (TEST.test(source)) continue;
  for (const { resolved } of dependencies) importers.get(resolved)?.add(source);
}

const packageOf = (file) => /^packages\/[^/]+/.exec(file)?.[0] ?? file.split('/')[0];
const sum = (list) => list.reduce((total, file) => total + linesOf.get(file), 0);
const toRow = (name, own) => {
  const list = sources.filter(own);
  const small = list.filter((file) => linesOf.get(file) <= 20);
  const once = list.filter((file) => importers.get(file)?.size === 1);
  const tests = files.filter((file) => own(file) && TEST.test(file));
  return [name, list.length, sum(list), small.length, once.length, sum(tests)];
};
const packages = [...new Set(files.map(packageOf))];
const rows = packages.map((name) => toRow(name, (file) => packageOf(file) === name));
rows.push(toRow('all', () => true));
printTable(['package', 'files', 'lines', '<= 20 lines', 'imported once', 'test lines'], rows);
console.log(`\nForbidden imports (npm run lint): ${output.summary.violations.length}`);
console.log(`Duplicated lines (jscpd ${DUPLICATE.join(' ')}): ${countDuplicates()}`);

function printTable(head, body) {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...body.map((row) => String(row[column]).length)),
  );
  const pad = (cell, column) =>
    typeof cell === 'number' ? String(cell).padStart(widths[column]) : cell.padEnd(widths[column]);
  const rule = widths.map((width) => '-'.repeat(width));
  for (const row of [head, rule, ...body]) console.log(`| ${row.map(pad).join(' | ')} |`);
}

function countDuplicates() {
  const folder = mkdtempSync(join(tmpdir(), 'berth-house-'));
  try {
    // Without braces, which jscpd does not expand here.
    const folders = ['generated', 'test', 'dist', 'node_modules'];
    const ignored = [...folders.map((folder) => `**/${folder}/**`), '**/*.test.ts'].join();
    const program = createRequire(import.meta.url).resolve('jscpd/run-jscpd.js');
    const report = ['--reporters', 'json', '--output', folder, '--silent'];
    const args = ['packages', ...DUPLICATE, '--pattern', '**/*.ts', '--ignore', ignored, ...report];
    execFileSync(process.execPath, [program, ...args], { stdio: 'pipe' });
    const { total } = JSON.parse(
      readFileSync(join(folder, 'jscpd-report.json'), 'utf8'),
    ).statistics;
    return `${total.duplicatedLines} in ${total.clones} pairs (${total.percentage.toFixed(1)} %)`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
