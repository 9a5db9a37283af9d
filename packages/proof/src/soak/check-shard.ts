import { createConformance } from '@berth/conformance';
import { checkMutant } from '../check-mutant.ts';
import { firstMutants, mutants } from '../mutants/index.ts';
import { startMutated } from '../start-mutated.ts';
import type { Alarms, MutantRow } from '../to-mutants-page.ts';
import { askPeers, listAlarms, QUICK_PEERS } from './ask-peers.ts';

/** The messages of this process. */
export type ShardMessage = { row: MutantRow } | { alarms: Alarms };

/*
 * Checks every n-th mutant in a separate process with its own server, and sends each row when it is ready.
 * Every mutant is checked with all rules; those of the `mutants` part also with the suite's Dredd engine and
 * with the quick peers.
 */
const [part = 'mutants', first = '0', step = '1'] = process.argv.slice(2);
const all =
  part === 'mutants' ? firstMutants : mutants.filter((one) => !firstMutants.includes(one));
const mutated = await startMutated();
const send = (message: ShardMessage) => process.send?.(message);
try {
  const alarms = await listAlarms(mutated.options, part === 'mutants' ? QUICK_PEERS : []);
  send({ alarms });
  for (let index = Number(first); index < all.length; index += Number(step)) {
    const mutant = all[index];
    if (mutant === undefined) break;
    const { caught, unrelated } = await checkMutant(mutated, mutant);
    const { rule, breaks, companions } = mutant;
    const row: MutantRow = { index, rule, breaks, companions, caught, unrelated };
    if (part === 'mutants') {
      mutated.use(mutant);
      const options = { ...mutated.options, only: ['dredd'] };
      const { results } = await createConformance(options).run();
      row.engine = results.some(({ outcome }) => outcome === 'fail');
      row.peers = await askPeers(mutated.options, alarms, rule);
      mutated.use(undefined);
    }
    send({ row });
  }
} finally {
  await mutated.close();
}
process.disconnect?.();
