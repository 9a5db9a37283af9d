import type { Live } from './files.ts';
import type { CallRecord, RequestLog } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import type { Services } from './services/create-services.ts';
import type { Sessions } from './session.ts';
import type { Auth } from './surfaces/auth.ts';
import type { Contract } from './surfaces/contract.ts';
import type { ServedDocument } from './surfaces/document.ts';

/** What all parts of a mock share. */
export interface Context {
  readonly options: ResolvedOptions;
  readonly auth: Auth;
  readonly sessions: Sessions;
  readonly log: RequestLog;
  readonly services: Services;
  readonly contract: Contract;
  /** The document that is served instead of the contract. */
  readonly document: Live<ServedDocument> | undefined;
  /** Called with each call when its response is complete. */
  onCall(record: CallRecord): void;
}
