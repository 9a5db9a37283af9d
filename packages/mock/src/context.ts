import type { IncomingMessage } from 'node:http';
import type { WireProfile } from '@berth/spec/wire-profile';
import type { Oracle } from './contract/oracle/create-oracle.ts';
import type { Preferences } from './contract/oracle/read-preferences.ts';
import type { CallRecord, RequestLog } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import type { Services } from './services/create-services.ts';
import type { Sessions } from './session.ts';

/** What all parts of a mock share. */
export interface Context {
  readonly options: ResolvedOptions;
  /** Wire names. */
  readonly profile: WireProfile;
  readonly sessions: Sessions;
  /** The calls of all sessions. */
  readonly log: RequestLog;
  readonly services: Services;
  /** What Prism is asked for if the caller has no preference. */
  readonly standard: Preferences;
  /** Prism, loaded on first use. */
  oracle(): Promise<Oracle>;
  /** Returns the base URL that a client used to reach the mock, without a trailing slash. */
  originOf(request: IncomingMessage): string;
  /** Called with each call when its response is complete. */
  onCall(record: CallRecord): void;
}
