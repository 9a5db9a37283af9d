// `npm test`: runs all CI checks and prints the test totals.
import { checkEngines } from './engines.mjs';
import { install } from './install.mjs';
import { turbo } from './process.mjs';
import { printTotals } from './totals.mjs';

const OPTIONS = ['--continue', '--output-logs=new-only'];

checkEngines();
await install();
const drift = await turbo('drift');
if (drift !== 0) process.exit(drift);
// turbo starts tasks in the order in which their dependencies are done. With all short tasks done first, the
// longest tests, which need every package, do not start last. Tests mostly wait: three at a time per core.
const short = await turbo('lint', 'typecheck', 'build', 'knip', ...OPTIONS);
if (short !== 0) process.exit(short);
const code = await turbo('check', 'conformance', 'check:release', '--concurrency=300%', ...OPTIONS);
const failed = printTotals();
process.exit(code || Math.min(failed, 1));
