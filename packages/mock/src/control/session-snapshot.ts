import type { FaultsState } from '../faults/fault-rules.ts';
import type { ClockState } from './change-clock.ts';

/** All that calls have changed in a session, as JSON; the log of calls is not in it. */
export interface SessionSnapshot {
  readonly version: 1;
  readonly clock: ClockState;
  /** In the order in which they were written. */
  readonly files: readonly FileSnapshot[];
  readonly faults: FaultsState;
  readonly services: Readonly<Record<string, ServiceStateJson>>;
}

interface FileSnapshot {
  readonly path: string;
  readonly contentType: string;
  /** ISO 8601. */
  readonly modified: string;
  readonly base64: string;
}

/** State of a service as the control API tells it. */
export interface ServiceStateJson {
  readonly code: string;
  /** ISO 8601, by the session's clock. Absent: until it is changed. */
  readonly until?: string;
}
