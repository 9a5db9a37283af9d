import type { FaultRules } from '../faults/fault-rules.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Grants } from '../files/grants.ts';
import type { Links } from '../files/links.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { ServiceStates } from '../services/service-states.ts';
import type { Clock } from './clock.ts';

/**
 * Everything that calls can change. A call belongs to the session that its header `X-Mock-Session` names,
 * so that test workers share one mock and do not see each other; without the header, to the default one.
 */
export interface Session {
  /** Value of the header; empty for the default session. */
  readonly id: string;
  readonly clock: Clock;
  readonly files: FileStore;
  readonly grants: Grants;
  readonly links: Links;
  readonly faults: FaultRules;
  readonly requests: RequestLog;
  readonly services: ServiceStates;
  /** How often each recorded call was answered, by its key. */
  readonly replayed: Map<string, number>;
}
