import { type ConformanceOptions, createConformance } from '@berth/conformance';
import { checkMutant } from '../check-mutant.ts';
import { byClass } from '../mutants/by-class/index.ts';
import { fromOutside } from '../mutants/from-outside/index.ts';
import { mutants } from '../mutants/index.ts';
import { PEER_IDS, PEERS, type PeerId } from '../peers/index.ts';
import { startMutated } from '../start-mutated.ts';
import type { Alarms, MutantRow } from '../to-mutants-page.ts';

/** The messages of this process. */
export type ShardMessage = { row: MutantRow } | { alarms: Alarms };

/*
 * Checks every n-th mutant in a separate process with its own server, and sends each row when it is ready.
 * Every mutant is checked with all rules; those of the `mutants` part also with the suite's Dredd engine and
 * with the peers.
 */
const [part = 'mutants', first = '0', step = '1'] = process.argv.slice(2);
const all = part === 'outside' ? [...fromOutside, ...Object.values(byClass).flat()] : mutants;
const mutated = await startMutated();
const send = (message: ShardMessage) => process.send?.(message);
try {
  const alarms: Alarms = {};
  for (const id of part === 'mutants' ? PEER_IDS : []) {
    alarms[id] = await askTwice(() => PEERS[id].run(mutated.options));
  }
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
      row.peers = await askPeers(alarms, rule);
      mutated.use(undefined);
    }
    send({ row });
  }
} finally {
  await mutated.close();
}
process.disconnect?.();

/**
 * Returns the peers that find something that they do not find on the correct server. They check the API that the
 * rule is about.
 */
async function askPeers(alarms: Alarms, rule: string): Promise<PeerId[]> {
  const isStorage = /^(ST|UP|AU-STORAGE)-/.test(rule);
  const { gatewayUrl, storageUrl, ...options } = mutated.options;
  const asked: ConformanceOptions = isStorage
    ? { ...options, storageUrl }
    : { ...options, gatewayUrl };
  const found: PeerId[] = [];
  for (const id of PEER_IDS) {
    // A peer that cannot digest a response has found something as well.
    const ask = () => PEERS[id].run(asked).catch((error: Error) => [error.message]);
    if ((await askTwice(ask, alarms[id])).length > 0) found.push(id);
  }
  return found;
}

/** Returns what a peer finds twice in a row, because a connection may break once. */
async function askTwice(
  ask: () => Promise<string[]>,
  known: readonly string[] = [],
): Promise<string[]> {
  const found = (await ask()).filter((name) => !known.includes(name));
  if (found.length === 0) return found;
  const again = await ask();
  return found.filter((name) => again.includes(name));
}
