/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { checkMutant } from '../src/check-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { startMutated } from '../src/start-mutated.ts';

/**
 * Checks the mutants of rules with these ID prefixes against all rules, or only against their own with `--own`.
 */
const args = process.argv.slice(2);
const isOwn = args.includes('--own');
const prefixes = args.filter((arg) => arg !== '--own');
const wanted = mutants.filter(
  ({ rule }) => prefixes.length === 0 || prefixes.some((prefix) => rule.startsWith(prefix)),
);

const mutated = await startMutated();
let bad = 0;
try {
  for (const mutant of wanted) {
    const { caught, unrelated, report } = await checkMutant(
      mutated,
      mutant,
      isOwn ? [mutant.rule] : [],
    );
    const others = report.results.filter(
      ({ outcome }) => outcome === 'error' || outcome === 'skip',
    );
    const isGood = caught && unrelated.length === 0;
    if (!isGood) bad += 1;
    console.log(
      `${isGood ? 'ok  ' : 'BAD '} ${mutant.rule}: ${mutant.breaks} (${report.durationMs} ms)`,
    );
    if (!caught) console.log('     not caught');
    if (unrelated.length > 0) console.log(`     unrelated: ${unrelated.join(' ')}`);
    for (const { id, outcome, reason } of others) console.log(`     ${outcome} ${id}: ${reason}`);
    if (!isGood && caught) {
      for (const { id, findings } of report.results) {
        if (unrelated.includes(id)) console.log(`     ${id}: ${findings[0]?.message}`);
      }
    }
  }
} finally {
  await mutated.close();
}
console.log(`${wanted.length} mutants, ${bad} bad`);
process.exitCode = bad > 0 ? 1 : 0;
