import type { IncomingMessage } from 'node:http';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { Oracle } from './contract/oracle/create-oracle.ts';
import type { Preferences } from './contract/oracle/read-preferences.ts';
import type { ResolvedOptions } from './options.ts';
import type { Services } from './services/create-services.ts';
import type { Sessions } from './session/session.ts';

export interface Context {
  readonly options: ResolvedOptions;
  /** The mock's URL, without a trailing slash; empty until it listens. */
  readonly url: string;
  /** Wire names. */
  readonly profile: WireProfile;
  readonly sessions: Sessions;
  readonly services: Services;
  /** What Prism is asked for if the caller has no preference. */
  readonly standard: Preferences;
  /** Prism, loaded on first use. */
  oracle(): Promise<Oracle>;
  /** Returns the base URL that a client used to reach the mock, without a trailing slash. */
  originOf(request: IncomingMessage): string;
}
