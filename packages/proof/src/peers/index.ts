import type { ConformanceOptions } from '@berth/conformance';
import { runDredd } from './run-dredd.ts';
import { runRespect } from './run-respect.ts';
import { runSpecmatic } from './run-specmatic.ts';

interface Peer {
  name: string;
  /** What it gets, as a sentence. */
  gets: string;
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
    gets: 'The OpenAPI document of the gateway, a token, and a hosted service under every name. It cannot read the document of the storage API, because it does not support ranges of statuses such as `4XX` (OAS0031).',
    run: runSpecmatic,
  },
} as const satisfies Record<string, Peer>;

export type PeerId = keyof typeof PEERS;

export const PEER_IDS = Object.keys(PEERS) as PeerId[];
