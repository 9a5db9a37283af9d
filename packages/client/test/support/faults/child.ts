import { runWithFaults } from './run-with-faults.ts';

/** How long a leaked timer runs, in milliseconds; the parent waits for half of that. */
const TOTAL = 10_000;

/** Runs some seeds and then does nothing more: the process ends if the client holds nothing. */
const [first = 1, count = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + count; seed += 1) {
  const { complaints } = await runWithFaults(seed, TOTAL);
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
}
process.stdout.write('done\n');
