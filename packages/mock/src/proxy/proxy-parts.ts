import type { Agent } from 'undici';
import type { Context } from '../context.ts';
import type { Verdicts } from './create-verdicts.ts';
import type { Exchange } from './exchange.ts';
import type { Judges } from './judge/create-judges.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { ProxyTargets } from './targets.ts';

/** Keeps what has passed. */
export interface Recorder {
  /** Most bytes of a body that are kept. */
  readonly maxBytes: number;
  add(exchange: Exchange): void;
  /** Waits until all is written. */
  close(): Promise<void>;
}

/** What all calls through one mock share. */
export interface ProxyParts {
  /** Name of this mock in `Via`. */
  readonly via: string;
  readonly context: Context;
  readonly agent: Agent;
  readonly targets: ProxyTargets;
  readonly addresses: KnownAddresses;
  readonly judges: () => Judges;
  readonly verdicts: Verdicts;
  readonly recorder: Recorder | undefined;
}
