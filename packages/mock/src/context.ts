import { FaultRules, parseFaultRules } from './faults/fault-rules.ts';
import type { Live } from './live.ts';
import { RequestLog } from './log/request-log.ts';
import type { ResolvedOptions } from './options.ts';
import type { ServedApi } from './served-api.ts';
import { createSessions } from './sessions/session.ts';

/** What all calls of a mock share. */
export type Context = ReturnType<typeof createContext>;

/** @throws FieldError if a fault is invalid */
export function createContext(options: ResolvedOptions, api: Live<ServedApi>) {
  const log = new RequestLog(options);
  const rules = parseFaultRules(options.faults ?? [], api.current.operations);
  const createFaults = () => new FaultRules(rules, () => api.current.operations);
  const sessions = createSessions(options, createFaults, (session) => log.clear(session));
  return { options, api, log, sessions };
}
