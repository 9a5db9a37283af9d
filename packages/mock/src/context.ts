import type { IncomingMessage } from 'node:http';
import type { Contract, Operation } from './contract/contract.ts';
import type { Oracle } from './contract/oracle/create-oracle.ts';
import type { Preferences } from './contract/oracle/read-preferences.ts';
import type { WireProfile } from './contract/wire-profile.ts';
import type { ResolvedOptions } from './options.ts';
import type { Services } from './services/services.ts';
import type { Sessions } from './session/session.ts';

/** What the parts of one mock share. */
export interface Context {
  readonly options: ResolvedOptions;
  /** Address of the mock, without a trailing slash; empty before it listens. */
  readonly url: string;
  /** Names on the wire; others after a hot reload. */
  readonly profile: WireProfile;
  /** What is served; another one after a hot reload. */
  readonly contract: Contract;
  /** Those of the contract. */
  readonly operations: readonly Operation[];
  readonly sessions: Sessions;
  readonly services: Services;
  /** In the mode `dynamic`: how Prism is asked for what nobody prefers; else undefined. */
  readonly dynamic: Preferences | undefined;
  /** Prism, loaded at the first call that needs it. */
  oracle(): Promise<Oracle>;
  /** Address under which a client reached the mock, without a trailing slash. */
  originOf(request: IncomingMessage): string;
}
