import type { Context } from '../context.ts';
import { parseFaultFlag } from '../faults/parse-fault-flag.ts';
import { toFaultRule } from '../faults/to-fault-rule.ts';
import { FieldError } from '../field-error.ts';
import { toKey } from '../files/file-path.ts';
import type { Session } from '../session/session.ts';
import { changeClock, toClockState } from './change-clock.ts';
import { createServicesControl } from './create-services-control.ts';
import { listRequests } from './list-requests.ts';
import { type MockSession, SESSION_PARTS, type SessionFile } from './mock-session.ts';
import { restoreSnapshot } from './restore-snapshot.ts';
import { takeSnapshot } from './take-snapshot.ts';

/** What changes a session, for tests in this process and for the control API alike. */
export function createMockSession(
  { sessions, services }: Pick<Context, 'sessions' | 'services'>,
  id: string,
): MockSession {
  // A session that was forgotten begins anew.
  const session = () => sessions.get(id);
  return {
    id,
    reset: ({ only } = {}) => reset(session(), only),
    snapshot: () => takeSnapshot(session()),
    restore: (snapshot) => restoreSnapshot(session(), snapshot),
    requests: (options = {}) => listRequests(session().requests, options),
    faults: {
      list: () => session().faults.list(),
      put(name, given) {
        const rule =
          typeof given === 'string' ? parseFaultFlag(name, given) : toFaultRule(name, given);
        session().faults.put(rule);
        return rule;
      },
      delete: (name) => session().faults.delete(name),
      clear: () => session().faults.clear(),
    },
    clock: {
      now: () => new Date(session().clock.now()),
      state: () => toClockState(session().clock),
      set(now, { frozen } = {}) {
        changeClock(session().clock, { now, ...(frozen !== undefined && { frozen }) });
      },
      advance: (advance) => changeClock(session().clock, { advance }),
      freeze: () => changeClock(session().clock, { frozen: true }),
      reset: () => session().clock.reset(),
    },
    files: {
      list: () => listFiles(session()),
      read: (path) => session().files.get(toKey(path))?.content.bytes(),
      delete: (path) => session().files.delete(toKey(path)),
    },
    services: createServicesControl(session, services),
  };
}

function reset(session: Session, only: unknown = SESSION_PARTS): void {
  if (!Array.isArray(only) || !only.every((part) => SESSION_PARTS.includes(part))) {
    throw new FieldError('only', `must be a list of ${SESSION_PARTS.join(', ')}.`);
  }
  // The clock comes first, for what is begun anew after it goes by it.
  if (only.includes('clock')) session.clock.reset();
  if (only.includes('files')) session.files.clear();
  if (only.includes('faults')) session.faults.reset();
  if (only.includes('requests')) {
    session.requests.clear();
    session.replayed.clear();
  }
  if (only.includes('services')) session.services.clear();
}

function listFiles({ files }: Session): SessionFile[] {
  return Array.from(files.list(), ([path, { size, contentType, etag, modified }]) => ({
    path,
    size,
    contentType,
    etag,
    modified: modified.toISOString(),
  }));
}
