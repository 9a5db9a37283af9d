// `npm test`: runs all CI checks, and prints the test totals.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEngines } from './engines.mjs';
import { install } from './install.mjs';
import { lint, listWorkspaces, ROOT, run, turbo } from './process.mjs';

const GENERATED = ['*/generated/*', '*.gen.*', 'docs/reference/*.md'];
/** The packages whose tests take longest, because they wait: for links that expire, and for Ceph. */
const LONGEST = ['@berth/conformance', '@berth/server'];
const OPTIONS = ['--continue', '--output-logs=new-only', '--log-order=grouped'];

checkEngines();
await install();
const code =
  (await checkGenerated()) ||
  (await lint()) ||
  (await run('tsc', [])) ||
  (await turbo('lint', 'typecheck', 'build', ...OPTIONS)) ||
  (await test());
printTotals();
process.exit(code);

/**
 * Runs the tests. turbo starts tasks in the order of their dependencies, so the tests of `conformance` would start last and
 * end alone: a second run starts those that wait most at once.
 */
async function test() {
  const codes = await Promise.all([
    turbo('check', ...LONGEST.map((name) => `--filter=${name}`), ...OPTIONS),
    turbo('check', ...LONGEST.map((name) => `--filter=!${name}`), '--concurrency=2', ...OPTIONS),
    run('vitest', ['run']),
  ]);
  return Math.max(...codes);
}

/** Generates everything anew, and fails if that changes a file. A cache would be no proof. */
async function checkGenerated() {
  const before = readGenerated();
  const code = await turbo('generate', '--force', '--output-logs=errors-only');
  if (code !== 0 || readGenerated() === before) return code;
  console.error('Generated files did not match their sources. Review and commit the changes:');
  console.error(git('status', '--short', '--', ...GENERATED));
  return 1;
}

function readGenerated() {
  return git('diff', '--', ...GENERATED) + git('status', '--short', '--', ...GENERATED);
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

function printTotals() {
  const sum = [0, 0, 0];
  for (const name of ['.', ...listWorkspaces()]) {
    const file = join(ROOT, name, '.reports/vitest.json');
    if (!existsSync(file)) continue;
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const skipped = report.numPendingTests + report.numTodoTests;
    const counts = [report.numPassedTests, report.numFailedTests, skipped];
    for (const [index, count] of counts.entries()) sum[index] += count;
    printCounts(name, counts);
  }
  printCounts('Tests', sum);
}

function printCounts(name, [passed, failed, skipped]) {
  console.log(`${name.padEnd(24)} ${passed} passed, ${failed} failed, ${skipped} skipped`);
}
