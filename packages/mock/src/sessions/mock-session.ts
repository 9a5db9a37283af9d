import type { Context } from '../context.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import { type LoggedRequest, toLoggedRequest } from '../log/request-log.ts';
import type { SessionClock } from './session.ts';
import type { SessionFiles } from './session-files.ts';

/**
 * A session of a mock, for tests in the same process. The control API under `/__mock` offers the same
 * operations. Throws a TypeError that names the field if a value is invalid.
 *
 * @example
 * await using mock = await createMock();
 * const session = mock.session();
 * session.files.put('reports/a.txt', 'Hello.');
 * session.faults.put('slow', 'latency=200,times=1');
 * // … calls …
 * expect(session.requests()).toMatchObject([{ operationId: 'batchDelete', status: 200 }]);
 */
export interface MockSession {
  /** Session name; empty for the default session. */
  readonly id: string;
  /** Resets the session: removes files and calls; restores the initial faults and the real time. */
  reset(): void;
  /** Returns the latest calls, oldest first. */
  requests(): readonly LoggedRequest[];
  readonly faults: Pick<FaultRules, 'list' | 'put' | 'delete'>;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
}

export function createMockSession(context: Context, id: string): MockSession {
  const { sessions, log, options } = context;
  // A session that was dropped starts over.
  const session = () => sessions.get(id);
  return {
    id,
    reset: () => session().reset(),
    requests: () => log.list(sessions.read(id)).map((call) => toLoggedRequest(call, options)),
    get faults() {
      return session().faults;
    },
    get clock() {
      return session().clock;
    },
    get files() {
      return session().files;
    },
  };
}
