import type { Readable } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { type Spooled, spoolBody } from './spool-body.ts';

/**
 * Bodies that are taken in at once before anybody knows whether their signatures are true. Together with the
 * limit of one body this bounds what forged calls can fill: 128 MiB of memory at the default settings.
 */
const MAX_UNJUDGED = 128;
/** Fewer bytes a second are slow, once so many milliseconds have shown it. */
const SLOW_BYTES = 8 * 1024;
const SHOWN_MILLISECONDS = 1000;
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 1;

/** A body that is being taken in. */
interface Place {
  readonly address: string;
  readonly since: number;
  bytes: number;
  readonly lost: AbortController;
}

/** Takes in signed bodies, so many at a time. */
export class Spools {
  readonly #memoryBytes: number;
  readonly #now: () => number;
  readonly #places = new Set<Place>();

  /**
   * @param memoryBytes of one body that are held in memory
   * @param now milliseconds of a clock that never goes back
   */
  constructor(memoryBytes: number, now: () => number) {
    this.#memoryBytes = memoryBytes;
    this.#now = now;
  }

  /** @throws GatewayError EXCEED_RATELIMIT; what the body fails with */
  async spool(body: Readable, address: string): Promise<Spooled> {
    if (this.#places.size >= MAX_UNJUDGED) this.#makeRoom(address);
    const place: Place = { address, since: this.#now(), bytes: 0, lost: new AbortController() };
    this.#places.add(place);
    try {
      return await spoolBody(body, this.#memoryBytes, {
        signal: place.lost.signal,
        onBytes: (count) => {
          place.bytes += count;
        },
      });
    } finally {
      this.#places.delete(place);
    }
  }

  /**
   * Nobody who sends forged calls may keep others out: neither by bodies that hardly come, nor from one
   * address. The slowest body of the address with the most of them loses its place.
   *
   * @throws GatewayError EXCEED_RATELIMIT if all of them come fast and no address has more than this one
   */
  #makeRoom(address: string): void {
    const now = this.#now();
    const byAddress = Map.groupBy(this.#places, (place) => place.address);
    const own = byAddress.get(address)?.length ?? 0;
    let most: Place[] = byAddress.get(address) ?? [];
    for (const places of byAddress.values()) if (places.length > most.length) most = places;
    const rateOf = ({ bytes, since }: Place) => (bytes * 1000) / Math.max(now - since, 1);
    const slowest = most.reduce((one, other) => (rateOf(other) < rateOf(one) ? other : one));
    const isSlow = now - slowest.since >= SHOWN_MILLISECONDS && rateOf(slowest) < SLOW_BYTES;
    const refusal = new GatewayError('EXCEED_RATELIMIT', { retryAfter: RETRY_AFTER });
    if (!isSlow && most.length <= own + 1) throw refusal;
    this.#places.delete(slowest);
    slowest.lost.abort(refusal);
  }
}
