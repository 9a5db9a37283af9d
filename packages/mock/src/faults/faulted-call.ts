import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Cors } from '@berth/server-stubs';
import type { WireProfile } from '../contract/wire-profile.ts';
import type { FaultRules, FaultSubject } from './fault-rules.ts';

/** A call to which faults may be done, before anything of it is judged. */
export interface FaultedCall {
  readonly request: IncomingMessage;
  /** The faults of its session. */
  readonly rules: FaultRules;
  /** Which call it is; asked only where there are faults. */
  readonly subject: () => FaultSubject;
  /** Cross-origin headers of its surface. */
  readonly cors: Cors;
  readonly profile: WireProfile;
  /** Its identifier, where it has one before it is answered. Default: a new one. */
  readonly requestId?: () => string;
  /** Hears the names of what is done, and to which call, for a refused one reaches no router. */
  readonly note: (names: readonly string[], subject: FaultSubject) => void;
  /** Hears that the call has to wait. Default: nobody listens. */
  readonly begin?: () => void;
}

export interface FaultedRequest extends FaultedCall {
  readonly response: ServerResponse;
}

/** The same for a WebSocket, before the upgrade. */
export interface FaultedUpgrade extends FaultedCall {
  readonly socket: Duplex;
}
