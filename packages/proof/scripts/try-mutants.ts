/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { checkMutant } from '../src/check-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { sequences } from '../src/mutants/sequences.ts';
import { startMutated } from '../src/start-mutated.ts';

/**
 * Checks the mutants whose rules begin with one of the given texts, or whose descriptions contain one. With `--own`,
 * runs only the rule that each of them breaks.
 */
const args = process.argv.slice(2);
const isOwn = args.includes('--own');
const texts = args.filter((arg) => arg !== '--own');
const wanted = [...mutants, ...sequences].filter(
  ({ rule, breaks }) =>
    texts.length === 0 || texts.some((text) => rule.startsWith(text) || breaks.includes(text)),
);

const mutated = await startMutated();
let bad = 0;
try {
  for (const mutant of wanted) {
    const { rule, breaks } = mutant;
    const { caught, unrelated, report } = await checkMutant(mutated, mutant, isOwn ? [rule] : []);
    const isGood = caught && (isOwn || unrelated.length === 0);
    if (!isGood) bad += 1;
    console.log(`${isGood ? 'ok  ' : 'BAD '} ${rule}: ${breaks} (${report.durationMs} ms)`);
    for (const { id, outcome, reason, findings } of report.results) {
      const { message } = findings[0] ?? {};
      if (id === rule) console.log(`     ${caught ? message : 'not caught'}`);
      else if (unrelated.includes(id)) console.log(`     unrelated ${id}: ${message}`);
      else if (outcome === 'error' || outcome === 'skip')
        console.log(`     ${outcome} ${id}: ${reason}`);
    }
  }
} finally {
  await mutated.close();
}
console.log(`${wanted.length} mutants, ${bad} bad`);
process.exitCode = bad > 0 ? 1 : 0;
