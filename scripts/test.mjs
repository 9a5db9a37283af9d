// `npm test`: runs all CI checks and prints the test totals.
import { checkEngines } from './engines.mjs';
import { install } from './install.mjs';
import { turbo } from './process.mjs';
import { printTotals } from './totals.mjs';

const OPTIONS = ['--continue', '--output-logs=new-only'];
/** The packages with the longest tests. */
const LONGEST = ['@berth/client', '@berth/conformance', '@berth/proof', '@berth/server'];

checkEngines();
await install();
const drift = await turbo('drift');
if (drift !== 0) process.exit(drift);
const short = await turbo('lint', 'typecheck', 'build', 'knip', ...OPTIONS);
if (short !== 0) process.exit(short);
// turbo starts tasks in the order in which their dependencies are done: the tests of `proof`, which need every
// package, would start last and end alone. Therefore a separate run starts the longest tests immediately. They often
// wait, and the other run uses that time. Neither builds anything, because everything is in the cache by now.
const longest = LONGEST.map((name) => `--filter=${name}`);
const others = LONGEST.map((name) => `--filter=!${name}`);
const codes = await Promise.all([
  turbo('check', 'conformance', ...longest, '--concurrency=5', ...OPTIONS),
  turbo('check', ...others, '--concurrency=100%', ...OPTIONS),
]);
const failed = printTotals();
process.exit(Math.max(...codes, Math.min(failed, 1)));
