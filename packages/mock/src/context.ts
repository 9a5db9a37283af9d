import type { IncomingMessage } from 'node:http';
import type { Contract, Operation } from './contract/contract.ts';
import type { Oracle } from './contract/oracle/create-oracle.ts';
import type { Preferences } from './contract/oracle/read-preferences.ts';
import type { WireProfile } from './contract/wire-profile.ts';
import type { ResolvedOptions } from './options.ts';
import type { Services } from './services/services.ts';
import type { Sessions } from './session/session.ts';

/** State that the parts of one mock share. */
export interface Context {
  readonly options: ResolvedOptions;
  /** Address of the mock, without a trailing slash; empty before it listens. */
  readonly url: string;
  /** Current names on the wire; replaced by a hot reload. */
  readonly profile: WireProfile;
  /** Current contract; replaced by a hot reload. */
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  readonly sessions: Sessions;
  readonly services: Services;
  /** In the mode `dynamic`: what to ask Prism for if the caller has no preference; undefined otherwise. */
  readonly dynamic: Preferences | undefined;
  /** Prism, loaded by the first call that needs it. */
  oracle(): Promise<Oracle>;
  /** Base URL by which a client reached the mock, without a trailing slash. */
  originOf(request: IncomingMessage): string;
}
