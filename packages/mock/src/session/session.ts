import { createHmac } from 'node:crypto';
import { createStorage, type Storage, type StorageOptions } from '@berth/server-stubs/engine';
import { createSigner } from '@berth/server-stubs/engine/node';
import { createFaultRules, type FaultRule, type FaultRules } from '../faults/fault-rules.ts';
import {
  BUCKET,
  type Contents,
  createFileStore,
  type FileStore,
  type Room,
} from '../files/file-store.ts';
import { toBlobStore } from '../files/to-blob-store.ts';
import { type Clock, createClock } from '../util/clock.ts';
import { SESSION_PARAMETER } from '../util/session-name.ts';
import {
  createRequestLog,
  type LoggedRequest,
  type LogRoom,
  type RequestLog,
} from './request-log.ts';
import { createServiceStates, type ServiceStates } from './service-states.ts';

/**
 * A session, which contains everything that calls can change. A call selects its session with the
 * `X-Mock-Session` header, so that test workers can share one mock without affecting each other; calls
 * without the header use the default session.
 */
export interface Session {
  /** Value of the header; empty for the default session. */
  readonly id: string;
  readonly clock: Clock;
  readonly files: FileStore;
  /** The storage API, backed by these files. */
  readonly storage: Storage;
  readonly faults: FaultRules;
  readonly requests: RequestLog;
  readonly services: ServiceStates;
  /** How often each recorded call was served, by its key. */
  readonly replayed: Map<string, number>;
}

export interface SessionParts {
  /** Signs grants and links. */
  readonly secret: Buffer;
  readonly seed: string;
  /** Initial faults. */
  readonly faults: readonly FaultRule[];
  readonly room: Room;
  /** Memory limit for the logs of all sessions. */
  readonly logRoom: LogRoom;
  /** Called for each new or changed call. */
  readonly onCall?: ((call: LoggedRequest) => void) | undefined;
  /** Storage for a session's files. */
  readonly contentsOf: (session: string) => Contents;
  /** The mock's environment. */
  readonly env: string;
  readonly storage: Pick<StorageOptions, 'publicUrl' | 'copyPattern' | 'wireProfile' | 'onError'>;
}

export function createSession(
  id: string,
  { secret, seed, faults, room, logRoom, onCall, contentsOf, env, storage }: SessionParts,
): Session {
  const clock = createClock();
  const requests = createRequestLog(logRoom);
  if (onCall !== undefined) requests.listen(onCall);
  const now = () => clock.now();
  const files = createFileStore({ contents: contentsOf(id), room, now });
  // Upload URLs and links are used without the mock's headers.
  const query = id === '' ? [] : [`${SESSION_PARAMETER}=${encodeURIComponent(id)}`];
  return {
    id,
    clock,
    files,
    storage: createStorage({
      ...storage,
      blobs: toBlobStore(files),
      // Grants and links from one session are not valid in another.
      signer: createSigner([createHmac('sha256', secret).update(id).digest()]),
      bucketOf: (name) => (name === env ? BUCKET : undefined),
      onlyEnv: env,
      // According to the contract, clients post to the URL verbatim, so the query survives.
      uploadTarget: `/?${[`bucket=${BUCKET}`, ...query].join('&')}`,
      linkQuery: query[0],
      inline: true,
      now,
    }),
    faults: createFaultRules({ seed, clock, rules: faults }),
    requests,
    services: createServiceStates(clock),
    replayed: new Map(),
  };
}

export interface Sessions {
  /** Returns the session with a name, creating it if needed; an empty name selects the default one. */
  get(id: string): Session;
  /** Existing sessions: the default one first, then from the least to the most recently used. */
  list(): readonly Session[];
}

/**
 * Creates the sessions of a mock.
 *
 * @param create returns an empty session
 * @param max maximum number of sessions besides the default one; beyond that, the least recently used session
 * is dropped
 */
export function createSessions(create: (id: string) => Session, max: number): Sessions {
  const sessions = new Map<string, Session>();
  let standard: Session | undefined;
  const getStandard = () => {
    standard ??= create('');
    return standard;
  };
  return {
    get(id) {
      if (id === '') return getStandard();
      const known = sessions.get(id);
      const session = known ?? create(id);
      // A Map keeps insertion order, so the first entry is the least recently used.
      if (known !== undefined) sessions.delete(id);
      sessions.set(id, session);
      const [oldest] = sessions.size > max ? sessions.values() : [];
      if (oldest !== undefined) {
        oldest.files.release();
        oldest.requests.clear();
        sessions.delete(oldest.id);
      }
      return session;
    },
    list: () => [getStandard(), ...sessions.values()],
  };
}
