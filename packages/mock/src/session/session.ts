import { createFaultRules, type FaultRule, type FaultRules } from '../faults/fault-rules.ts';
import { type Contents, createFileStore, type FileStore, type Room } from '../files/file-store.ts';
import { createGrants, createLinks, createSign, type Grants, type Links } from '../files/signed.ts';
import { type Clock, createClock } from '../util/clock.ts';
import { createRequestLog, type LogRoom, type RequestLog } from './request-log.ts';
import { createServiceStates, type ServiceStates } from './service-states.ts';

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

interface SessionParts {
  /** Signs grants and links. */
  readonly secret: Buffer;
  readonly seed: string;
  /** Faults that it begins with. */
  readonly faults: readonly FaultRule[];
  readonly room: Room;
  /** What the logs of all sessions share. */
  readonly logRoom: LogRoom;
  /** Where the files of a session are. */
  readonly contentsOf: (session: string) => Contents;
}

/** A session in which nothing has happened yet. */
export function createSession(
  id: string,
  { secret, seed, faults, room, logRoom, contentsOf }: SessionParts,
): Session {
  const clock = createClock();
  const now = () => clock.now();
  const sign = createSign(secret, id);
  return {
    id,
    clock,
    files: createFileStore({ contents: contentsOf(id), room, now }),
    grants: createGrants(sign, now),
    links: createLinks(sign, id, now),
    faults: createFaultRules({ seed, clock, rules: faults }),
    requests: createRequestLog(logRoom),
    services: createServiceStates(clock),
    replayed: new Map(),
  };
}

/** The sessions of a mock. */
export interface Sessions {
  /** The session of a name, made where it is new; empty for the default one. */
  get(id: string): Session;
  /** Those that there are, the default one first, then the least recently used first. */
  list(): readonly Session[];
  /** Forgets a session; the default one begins anew. */
  delete(id: string): boolean;
}

/**
 * @param create makes an empty session
 * @param max most sessions beside the default one; the least recently used is forgotten
 */
export function createSessions(create: (id: string) => Session, max: number): Sessions {
  const sessions = new Map<string, Session>();
  let standard: Session | undefined;
  const forget = (session: Session | undefined) => {
    if (session === undefined) return false;
    session.files.release();
    session.requests.clear();
    return sessions.delete(session.id);
  };
  const getStandard = () => {
    standard ??= create('');
    return standard;
  };
  return {
    get(id) {
      if (id === '') return getStandard();
      const known = sessions.get(id);
      const session = known ?? create(id);
      // The order of a Map is that of insertion: the first is the one that was used longest ago.
      if (known !== undefined) sessions.delete(id);
      sessions.set(id, session);
      if (sessions.size > max) forget(sessions.values().next().value);
      return session;
    },
    list: () => [getStandard(), ...sessions.values()],
    delete(id) {
      if (id !== '') return forget(sessions.get(id));
      standard?.files.release();
      standard?.requests.clear();
      standard = undefined;
      return true;
    },
  };
}
