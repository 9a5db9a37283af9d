import type { ConformanceOptions } from '@berth/conformance';
import { runDredd } from './run-dredd.ts';
import { runRespect } from './run-respect.ts';
import { runSpecmatic } from './run-specmatic.ts';

export interface Peer {
  name: string;
  /** What it gets, as a sentence. */
  gets: string;
  /** Number of mutants to check, if it is too slow for all of them. */
  sample?: number;
  /** Returns what fails on a server. Checks the APIs whose URLs are given. */
  run: (options: ConformanceOptions) => Promise<string[]>;
}

/** Other tools that check a server against our documents, without the suite. */
export const PEERS = {
  dredd: {
    name: 'Dredd 14.1',
    gets: 'The OpenAPI 3.0 copies, the documented successes, and hooks that add credentials and make the hosted service return the example.',
    run: runDredd,
  },
  respect: {
    name: '`redocly respect` 2.37',
    gets: 'The Arazzo workflows, and the inputs that they ask for.',
    run: runRespect,
  },
  specmatic: {
    name: 'Specmatic 2.55',
    gets: 'Copies of the OpenAPI documents, credentials, and a hosted service under every name that returns JSON. In the copies, each range of statuses such as `4XX` is written out as the statuses of the error table, because Specmatic does not support ranges (OAS0031), and the upload is omitted, because its form needs the response to an earlier call.',
    run: runSpecmatic,
    sample: 60,
  },
} as const satisfies Record<string, Peer>;

export type PeerId = keyof typeof PEERS;

export const PEER_IDS = Object.keys(PEERS) as PeerId[];

/**
 * Returns whether a peer checks a mutant. A sample is spread evenly over the list, and so over all topics.
 *
 * @param total length of the list of mutants
 */
export function isAsked(id: PeerId, index: number, total: number): boolean {
  const { sample = total }: Peer = PEERS[id];
  const place = (at: number) => Math.floor((at * sample) / total);
  return sample >= total || place(index + 1) > place(index);
}
