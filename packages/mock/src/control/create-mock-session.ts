import type { Context } from '../context.ts';
import { parseFaultFlag, toFaultRule } from '../faults/parse-fault.ts';
import { toKey } from '../files/file-store.ts';
import type { Services } from '../services/create-services.ts';
import type { LoggedRequest, RequestLog } from '../session/request-log.ts';
import type { Session } from '../session/session.ts';
import { FieldError, toMilliseconds } from '../util/values.ts';
import { changeClock, toClockState } from './change-clock.ts';
import {
  type MockSession,
  type RequestsOptions,
  SESSION_PARTS,
  type SessionFile,
  type SessionServices,
} from './mock-session.ts';
import { assertStateCode, restoreSnapshot, takeSnapshot, toStateJson } from './snapshot.ts';

/** Creates the operations on a session. Tests in this process and the control API use the same operations. */
export function createMockSession(
  { sessions, services }: Pick<Context, 'sessions' | 'services'>,
  id: string,
): MockSession {
  // A session that was dropped starts over.
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
    throw new FieldError('only', `must be an array of any of: ${SESSION_PARTS.join(', ')}.`);
  }
  // The clock is reset first, because everything else depends on it.
  if (only.includes('clock')) session.clock.reset();
  if (only.includes('files')) session.files.clear();
  if (only.includes('faults')) session.faults.reset();
  if (only.includes('requests')) session.requests.clear();
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

function createServicesControl(session: () => Session, services: Services): SessionServices {
  const assertService = (name: string) => {
    if (services.has(name)) return;
    const known = services.names().join(', ') || 'there are no services';
    throw new FieldError('name', `must be the name of a service: ${known}.`);
  };
  return {
    list() {
      const states = session().services.list();
      return Object.fromEntries(
        [...new Set([...services.names(), ...Object.keys(states)])].map((name) => {
          const state = states[name];
          return [
            name,
            {
              routes: services.find(name)?.routes.map(({ text }) => text) ?? [],
              ...(state !== undefined && { state: toStateJson(state) }),
            },
          ];
        }),
      );
    },
    setState(name, code, { for: duration } = {}) {
      assertService(name);
      assertStateCode(code, 'code');
      const ms = duration === undefined ? undefined : toMilliseconds(duration);
      if (duration !== undefined && ms === undefined) {
        throw new FieldError('for', 'must be milliseconds, or a duration such as 250ms, 5s or 2m.');
      }
      const { services, clock } = session();
      services.set(name, { code, ...(ms !== undefined && { until: clock.now() + ms }) });
    },
    clearState(name) {
      assertService(name);
      session().services.set(name, undefined);
    },
  };
}

/** @throws FieldError for an invalid option */
function listRequests(
  log: RequestLog,
  { unmatched = false, limit }: RequestsOptions,
): readonly LoggedRequest[] {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new FieldError('limit', 'must be a positive integer.');
  }
  const all = log.list();
  const some = unmatched ? all.filter(({ matched }) => !matched) : all;
  return limit === undefined ? some : some.slice(-limit);
}
