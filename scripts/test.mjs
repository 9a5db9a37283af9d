// `npm test`: runs all CI checks and prints the test totals.
import { checkEngines } from './engines.mjs';
import { install } from './install.mjs';
import { turbo } from './process.mjs';
import { printTotals } from './totals.mjs';

checkEngines();
await install();
const drift = await turbo('drift');
if (drift !== 0) process.exit(drift);
const tasks = ['check', 'knip', 'conformance', 'check:release'];
const code = await turbo(...tasks, '--continue', '--output-logs=new-only');
const failed = printTotals();
process.exit(code || Math.min(failed, 1));
