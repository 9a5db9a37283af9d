import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { splitTarget } from '@berth/server-stubs/contract';
import {
  createMemoryStore,
  createStorage,
  type MemoryStore,
  type Storage,
  type StorageOptions,
} from '@berth/storage';
import { createSigner } from '@berth/storage/node';
import { FaultRules } from './faults/fault-rules.ts';
import type { ResolvedOptions } from './options.ts';
import { BUCKET } from './surface.ts';
import { FieldError, isInteger } from './user-input.ts';

/**
 * Everything that calls can change. A call selects its session with the `X-Mock-Session` header, so that test
 * workers can share one mock without affecting each other; calls without the header use the default session.
 */
export interface Session {
  /** Empty for the default session. */
  readonly id: string;
  readonly clock: Clock;
  readonly files: MemoryStore;
  /** The storage API, backed by these files. */
  readonly storage: Storage;
  readonly faults: FaultRules;
}

/** What the storage API of every session has in common. */
type SharedStorage = Pick<StorageOptions, 'publicUrl' | 'wireProfile' | 'onError'>;

export class Sessions {
  readonly #options: ResolvedOptions;
  readonly #storage: SharedStorage;
  readonly #onDrop: (session: Session) => void;
  readonly #sessions = new Map<string, Session>();
  /** Signs grants and links. */
  readonly #secret = randomBytes(32);

  constructor(
    options: ResolvedOptions,
    storage: SharedStorage,
    onDrop: (session: Session) => void,
  ) {
    this.#options = options;
    this.#storage = storage;
    this.#onDrop = onDrop;
    this.get('');
  }

  /** Returns the session with a name, creating it if needed; an empty name selects the default one. */
  get(id: string): Session {
    const session = this.#sessions.get(id) ?? this.#create(id);
    // A Map keeps insertion order, so that the first entry is the least recently used.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const isFull = this.#sessions.size - 1 > this.#options.maxSessions;
    const oldest = isFull ? this.#sessions.values().find((one) => one.id !== '') : undefined;
    if (oldest !== undefined) {
      this.#sessions.delete(oldest.id);
      this.#onDrop(oldest);
    }
    return session;
  }

  find(id: string): Session | undefined {
    return this.#sessions.has(id) ? this.get(id) : undefined;
  }

  names(): string[] {
    return [...this.#sessions.keys()];
  }

  #create(id: string): Session {
    const { env, faults, maxSessionBytes, document } = this.#options;
    const clock = new Clock();
    const files = createMemoryStore({ maxBytes: maxSessionBytes });
    const query = id === '' ? undefined : `${SESSION_PARAMETER}=${encodeURIComponent(id)}`;
    return {
      id,
      clock,
      files,
      faults: new FaultRules(faults, document !== undefined),
      storage: createStorage({
        ...this.#storage,
        blobs: files,
        // Grants and links from one session are not valid in another.
        signer: createSigner([createHmac('sha256', this.#secret).update(id).digest()]),
        bucketOf: (name) => (name === env ? BUCKET : undefined),
        onlyEnv: env,
        // The contract asks clients to post to the URL verbatim, so the query survives.
        uploadTarget: `/?${[`bucket=${BUCKET}`, query].filter(Boolean).join('&')}`,
        linkQuery: query,
        inline: true,
        now: () => clock.now().getTime(),
      }),
    };
  }
}

/** The session's clock, which determines when links and grants expire. */
export type SessionClock = Pick<Clock, 'now' | 'advance'>;

/** The last ECMAScript date. */
const LAST_DATE = 8.64e15;

class Clock {
  #offset = 0;

  now(): Date {
    return new Date(Date.now() + this.#offset);
  }

  /** @throws FieldError if `ms` is not a positive integer */
  advance(ms: number): void {
    if (!isInteger(ms, 1) || this.now().getTime() + ms > LAST_DATE) {
      throw new FieldError('advance', 'must be a positive integer of milliseconds.');
    }
    this.#offset += ms;
  }

  /** Follows the machine's clock again. */
  reset(): void {
    this.#offset = 0;
  }
}

/** Query parameter that selects the session in upload URLs and links, which are requested without the header. */
const SESSION_PARAMETER = 'session';

/** Returns the name of the session in the header, which is empty for the default session. */
export function sessionOfHeader({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers['x-mock-session'] ?? '');
}

/** Returns the session name in the query, or the one in the header if the query has none. */
export function sessionOfQuery(request: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const query = new URLSearchParams(splitTarget(request.url ?? '').query);
  return query.get(SESSION_PARAMETER) ?? sessionOfHeader(request);
}
