import { runWithFaults } from './run-with-faults.ts';

/** How long a leaked timer runs, in milliseconds. The parent waits half as long. */
const TOTAL = 120_000;

/** Runs some seeds and then does nothing, so that the process exits if the client keeps nothing open. */
const [first = 1, count = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + count; seed += 1) {
  const { complaints } = await runWithFaults(seed, TOTAL);
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
}
process.stdout.write('done\n');
