import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { takeSubprotocols } from '@berth/server-stubs/runtime';

import { createStorage, type StorageOptions } from '@berth/storage';
import { createSigner } from '@berth/storage/node';
import { BUCKET } from '../contract/surface.ts';
import { type FaultRule, FaultRules } from '../faults/fault-rules.ts';
import { FileStore, type Room, toBlobStore } from '../files/file-store.ts';
import { decodeText } from '../util/values.ts';
import { type LoggedRequest, type LogRoom, RequestLog } from './request-log.ts';

/**
 * A session, which contains everything that calls can change. A call selects its session with the
 * `X-Mock-Session` header, so that test workers can share one mock without affecting each other; calls
 * without the header use the default session.
 */
export type Session = ReturnType<typeof createSession>;

export interface SessionParts {
  /** Signs grants and links. */
  readonly secret: Buffer;
  readonly faults: readonly FaultRule[];
  readonly room: Room;
  /** Memory limit for the logs of all sessions. */
  readonly logRoom: LogRoom;
  /** Called for each new or changed call. */
  readonly onCall?: ((call: LoggedRequest) => void) | undefined;
  readonly env: string;
  readonly storage: Pick<StorageOptions, 'publicUrl' | 'wireProfile' | 'onError'>;
}

/** @param id value of the header; empty for the default session */
export function createSession(
  id: string,
  { secret, faults, room, logRoom, onCall, env, storage }: SessionParts,
) {
  const clock = new Clock();
  const requests = new RequestLog(logRoom, onCall);
  const now = () => clock.now();
  const files = new FileStore(room, now);
  const rules = new FaultRules(faults);
  const memories = new Map<string, Map<string, unknown>>();
  // Upload URLs and links are used without the mock's headers.
  const query = id === '' ? [] : [`${SESSION_PARAMETER}=${encodeURIComponent(id)}`];
  return {
    id,
    clock,
    files,
    /** The storage API, backed by these files. */
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
    faults: rules,
    requests,
    /** Returns the data that a hosted service keeps between calls. */
    memoryOf(service: string): Map<string, unknown> {
      const memory = memories.get(service) ?? new Map();
      memories.set(service, memory);
      return memory;
    },
    reset(): void {
      clock.reset();
      files.clear();
      rules.reset();
      requests.clear();
      memories.clear();
    },
  };
}

/** Maximum number of sessions besides the default one; the least recently used one is dropped. */
const MAX_SESSIONS = 100;

export class Sessions {
  readonly #create: (id: string) => Session;
  readonly #named = new Map<string, Session>();
  #default: Session | undefined;

  /** @param create returns an empty session */
  constructor(create: (id: string) => Session) {
    this.#create = create;
  }

  /** Returns the session with a name, creating it if needed; an empty name selects the default one. */
  get(id: string): Session {
    if (id === '') {
      this.#default ??= this.#create('');
      return this.#default;
    }
    const session = this.#named.get(id) ?? this.#create(id);
    // A Map keeps insertion order, so the first entry is the least recently used.
    this.#named.delete(id);
    this.#named.set(id, session);
    const [oldest] = this.#named.size > MAX_SESSIONS ? this.#named.values() : [];
    if (oldest !== undefined) {
      oldest.files.release();
      oldest.requests.clear();
      this.#named.delete(oldest.id);
    }
    return session;
  }

  /** Existing sessions: the default one first, then from the least to the most recently used. */
  list(): readonly Session[] {
    return [this.get(''), ...this.#named.values()];
  }
}

/**
 * Query parameter that selects the session in upload URLs and links, which are requested without the session
 * header.
 */
export const SESSION_PARAMETER = 'session';

/** Returns the session name in the query, or the one in the header if the query has none. */
export function sessionOfQuery(request: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const { url = '' } = request;
  const mark = url.indexOf('?');
  const named = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get(SESSION_PARAMETER);
  return named ?? sessionOfHeader(request);
}

const SESSION_HEADER = 'X-Mock-Session';

const HEADER = SESSION_HEADER.toLowerCase();

/** Returns the name of the session in the header, which is empty for the default session. */
export function sessionOfHeader({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers[HEADER] ?? '');
}

/** Prefix for a session name, encoded as in a query, if no header can be set. */
const PREFIX = 'mock.session.';

/**
 * Moves the session name from a WebSocket's subprotocols to the header that every other call uses. An existing
 * header takes precedence.
 */
export function takeSessionProtocol(request: IncomingMessage): void {
  const [name] = takeSubprotocols(request, PREFIX);
  if (name !== undefined) request.headers[HEADER] ??= decodeText(name);
}

/** A session's clock, which tests can set. It determines when links and grants expire. */
export class Clock {
  #offset = 0;
  #frozenAt: number | undefined;

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset;
  }

  get isFrozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Sets the time, then continues from there or freezes. */
  set(time: number, { frozen = false }: { readonly frozen?: boolean } = {}): void {
    this.#offset = time - Date.now();
    this.#frozenAt = frozen ? time : undefined;
  }

  /** The machine's clock may advance between two readings, so a running clock does not read it. */
  advance(ms: number): void {
    if (this.#frozenAt === undefined) this.#offset += ms;
    else this.#frozenAt += ms;
  }

  /** Follows the machine's clock again. */
  reset(): void {
    this.#offset = 0;
    this.#frozenAt = undefined;
  }
}
