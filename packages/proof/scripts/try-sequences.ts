/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { checkMutant } from '../src/check-mutant.ts';
import { sequences } from '../src/mutants/sequences.ts';
import { startMutated } from '../src/start-mutated.ts';

/** Checks the mutants of sequences whose descriptions contain the given text, and prints what was found. */
const [text = '', first = '0', step = '1'] = process.argv.slice(2);
const mutated = await startMutated();
try {
  for (const mutant of sequences.filter(
    ({ breaks }, index) => breaks.includes(text) && index % Number(step) === Number(first),
  )) {
    const cpu = process.cpuUsage();
    const { caught, report } = await checkMutant(mutated, mutant, [mutant.rule]);
    const { user, system } = process.cpuUsage(cpu);
    const result = report.results.find(({ id }) => id === mutant.rule);
    const message = result?.findings[0]?.message ?? result?.reason ?? '';
    const steps = /after (\d+) steps/.exec(message)?.[1];
    const cost = Math.round((user + system) / 1000);
    console.log(
      `${caught ? 'ok ' : 'BAD'} ${steps ?? '-'} steps, ${result?.requests} requests, ${cost} ms: ${mutant.breaks}`,
    );
    console.log(`      ${message} ${result?.notes ?? ''}`);
    if (text !== '') console.log(result?.findings[0]?.script);
  }
} finally {
  await mutated.close();
}
