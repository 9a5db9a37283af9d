import type { ConformanceOptions } from '@berth/conformance';
import { firstMutants } from '../mutants/index.ts';
import { isAsked, PEER_IDS, PEERS, type PeerId } from '../peers/index.ts';
import { startMutated } from '../start-mutated.ts';
import type { Alarms, MutantRow, Mutants } from '../to-mutants-page.ts';

/** The peers that check every mutant. */
export const QUICK_PEERS: readonly PeerId[] = PEER_IDS.filter((id) => !('sample' in PEERS[id]));

/** Returns what peers find on a correct server. */
export async function listAlarms(
  options: ConformanceOptions,
  ids: readonly PeerId[],
): Promise<Alarms> {
  const alarms: Alarms = {};
  for (const id of ids) alarms[id] = await askTwice(() => PEERS[id].run(options));
  return alarms;
}

/**
 * Returns the peers that find something that they do not find on the correct server. They check the API that the
 * rule is about.
 */
export async function askPeers(
  { gatewayUrl, storageUrl, ...options }: ConformanceOptions,
  alarms: Alarms,
  rule: string,
): Promise<PeerId[]> {
  const isStorage = /^(ST|UP|AU-STORAGE)-/.test(rule);
  const asked = isStorage ? { ...options, storageUrl } : { ...options, gatewayUrl };
  const found: PeerId[] = [];
  for (const id of Object.keys(alarms) as PeerId[]) {
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

/** Checks the sample of a slow peer. All other results stay as they are. */
export async function askSlowPeer(
  id: PeerId,
  earlier: Mutants,
  onRow: (row: MutantRow) => void,
): Promise<Mutants> {
  const mutated = await startMutated();
  try {
    const alarms = await listAlarms(mutated.options, [id]);
    const rows: MutantRow[] = [];
    for (const row of earlier.rows) {
      const mutant = firstMutants.find((each) => toKey(each) === toKey(row));
      const { index, rule } = row;
      mutated.use(mutant);
      const isChosen = mutant !== undefined && isAsked(id, index, earlier.rows.length);
      const peers = isChosen ? await askPeers(mutated.options, alarms, rule) : [];
      const sampled = isChosen ? [id] : [];
      rows.push({ ...row, peers, sampled });
      if (isChosen) onRow({ ...row, peers });
    }
    return keepPeers({ rows, alarms }, earlier);
  } finally {
    await mutated.close();
  }
}

/** Adds what the peers that did not run have found earlier. */
export function keepPeers({ rows, alarms }: Mutants, earlier: Mutants): Mutants {
  const known = new Map(earlier.rows.map((row) => [toKey(row), row]));
  const isOther = (id: PeerId) => alarms[id] === undefined;
  return {
    alarms: { ...earlier.alarms, ...alarms },
    rows: rows.map((row) => {
      const { peers = [], sampled = [] } = known.get(toKey(row)) ?? {};
      return {
        ...row,
        peers: [...(row.peers ?? []), ...peers.filter(isOther)],
        sampled: [...(row.sampled ?? []), ...sampled.filter(isOther)],
      };
    }),
  };
}

function toKey({ rule, breaks }: Pick<MutantRow, 'rule' | 'breaks'>): string {
  return `${rule} ${breaks}`;
}
