import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { splitTarget } from '@berth/server-stubs/contract';
import {
  createMemoryStore,
  createStorage,
  type MemoryStore,
  type StorageApi,
} from '@berth/storage';
import { createSigner } from '@berth/storage/node';
import type { FaultRules } from '../faults/fault-rules.ts';
import { originOf, toOrigin } from '../host.ts';
import type { ResolvedOptions } from '../options.ts';
import { BUCKET } from '../surface.ts';
import { FieldError, isInteger } from '../user-input.ts';
import { createSessionFiles, type SessionFiles } from './session-files.ts';

/** Everything that calls can change. A call selects its session with the `X-Mock-Session` header. */
export interface Session {
  /** Empty for the default session. */
  readonly id: string;
  readonly clock: ReturnType<typeof createClock>;
  readonly store: MemoryStore;
  readonly files: SessionFiles;
  readonly storage: StorageApi;
  readonly faults: FaultRules;
  /** Removes files and calls; restores the initial faults and the real time. */
  reset(): void;
}

/** Maximum number of sessions besides the default one. */
const MAX_SESSIONS = 100;

/** @param clearLog removes the calls of a session from the log */
export function createSessions(
  options: ResolvedOptions,
  createFaults: () => FaultRules,
  clearLog: (session: Session) => void,
) {
  const { env, maxSessionBytes, host, port } = options;
  const sessions = new Map<string, Session>();
  const secret = randomBytes(32);

  function create(id: string): Session {
    const clock = createClock();
    const store = createMemoryStore({ maxBytes: maxSessionBytes });
    const query = id === '' ? undefined : `${SESSION_PARAMETER}=${encodeURIComponent(id)}`;
    const storage = createStorage({
      blobs: store,
      // A caller without a valid Host gets an error, so that the port of its links does not matter.
      publicUrl: (request) => originOf(request) ?? toOrigin(host, port),
      onError: (error) => process.emitWarning(error as Error),
      // Grants and links from one session are not valid in another.
      signer: createSigner([createHmac('sha256', secret).update(id).digest()]),
      bucketOf: (name) => (name === env ? BUCKET : undefined),
      // The contract asks clients to post to the URL verbatim, so the query survives.
      uploadTarget: `/?${[`bucket=${BUCKET}`, query].filter(Boolean).join('&')}`,
      linkQuery: query,
      inline: true,
      now: () => clock.now().getTime(),
    });
    const faults = createFaults();
    function reset(): void {
      clock.reset();
      store.clear();
      faults.reset();
      clearLog(session);
    }
    const files = createSessionFiles(store, env);
    const session: Session = { id, clock, store, files, storage, faults, reset };
    return session;
  }

  /** Returns the session with a name, creating it if needed; an empty name selects the default one. */
  function get(id: string): Session {
    const session = sessions.get(id) ?? create(id);
    // A Map keeps insertion order, so that the first entry is the least recently used.
    sessions.delete(id);
    sessions.set(id, session);
    const isFull = sessions.size - 1 > MAX_SESSIONS;
    const oldest = isFull ? sessions.values().find(({ id: name }) => name !== '') : undefined;
    if (oldest !== undefined) {
      sessions.delete(oldest.id);
      clearLog(oldest);
    }
    return session;
  }

  const find = (id: string) => (sessions.has(id) ? get(id) : undefined);

  get('');
  return {
    get,
    find,
    /** Returns the session with a name, to read it: an unknown one is empty, and is not kept. */
    read: (id: string) => find(id) ?? create(id),
    names: () => [...sessions.keys()],
  };
}

/** The session's clock. Links, grants and, with strict credentials, tokens and signatures expire according to it. */
export type SessionClock = Omit<Session['clock'], 'reset'>;

const LAST_DATE = 8.64e15;

function createClock() {
  let offset = 0;
  const now = () => new Date(Date.now() + offset);
  return {
    now,
    /** @throws FieldError if `ms` is not a positive integer */
    advance(ms: number): void {
      if (!isInteger(ms, 1) || now().getTime() + ms > LAST_DATE) {
        throw new FieldError('advance', 'must be a positive integer number of milliseconds.');
      }
      offset += ms;
    },
    reset(): void {
      offset = 0;
    },
  };
}

const SESSION_PARAMETER = 'session';

export function sessionOfHeader({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers['x-mock-session'] ?? '');
}

export function sessionOfQuery(request: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const query = new URLSearchParams(splitTarget(request.url ?? '').query);
  return query.get(SESSION_PARAMETER) ?? sessionOfHeader(request);
}
