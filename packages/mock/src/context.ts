import type { Live } from './live.ts';
import { RequestLog } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import type { ServedApi } from './served-api.ts';
import { createSessions, type Session } from './sessions/session.ts';

/** What all calls of a mock share. */
export type Context = ReturnType<typeof createContext>;

export function createContext(options: ResolvedOptions, api: Live<ServedApi>) {
  const log = new RequestLog(options);
  const listOperations = () => api.current.operations;
  const clear = (session: Session) => log.clear(session);
  return { options, api, log, sessions: createSessions(options, listOperations, clear) };
}
