import type { Context } from '../context.ts';
import { type FaultRule, parseFaultRule } from '../faults/fault-rules.ts';
import { type LoggedRequest, toLoggedRequest } from '../log/request-log.ts';
import type { SessionClock } from './session.ts';
import { createSessionFiles, type SessionFiles } from './session-files.ts';

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
  readonly faults: SessionFaults;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
}

/** The fault rules of a session. */
interface SessionFaults {
  /** Returns the rules with their remaining `times`. */
  list(): readonly FaultRule[];
  /**
   * Adds a rule, or replaces the rule with this name.
   *
   * @param rule an object, or a string in the format of `--faults`: `batchDelete:code=SYS_ERR,times=2`
   * @throws FieldError that names the field and states its requirements
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule;
  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean;
}

export function createMockSession(context: Context, id: string): MockSession {
  const { api, sessions, log, options } = context;
  // A session that was dropped starts over.
  const session = () => sessions.get(id);
  const { env, wireProfile } = options;
  return {
    id,
    reset() {
      const { clock, store, faults } = session();
      clock.reset();
      store.clear();
      faults.reset();
      log.clear(session());
    },
    requests: () => log.list(session()).map((record) => toLoggedRequest(record, wireProfile)),
    faults: {
      list: () => session().faults.list(),
      put: (name, input) =>
        session().faults.put(parseFaultRule(name, input, api.current.operations)),
      delete: (name) => session().faults.delete(name),
    },
    get clock() {
      return session().clock;
    },
    get files() {
      return createSessionFiles(session().store, env);
    },
  };
}
