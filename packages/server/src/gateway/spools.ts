import type { Readable } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { type Spooled, spoolBody } from './spool-body.ts';

/**
 * Bodies that are taken in at once before anybody knows whether their signatures are true. Together with the
 * limit of one body this bounds what forged calls can fill: 128 MiB of memory at the default settings.
 */
const MAX_UNJUDGED = 128;
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 1;

/** Takes in signed bodies, so many at a time. */
export class Spools {
  readonly #memoryBytes: number;
  #unjudged = 0;

  /** @param memoryBytes of one body that are held in memory */
  constructor(memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
  }

  /** @throws GatewayError EXCEED_RATELIMIT; what the body fails with */
  async spool(body: Readable): Promise<Spooled> {
    if (this.#unjudged >= MAX_UNJUDGED) {
      throw new GatewayError('EXCEED_RATELIMIT', { retryAfter: RETRY_AFTER });
    }
    this.#unjudged += 1;
    try {
      return await spoolBody(body, this.#memoryBytes);
    } finally {
      this.#unjudged -= 1;
    }
  }
}
