import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { GatewayCall, GatewayInput } from '@berth/server-stubs';
import type { Caller } from '../../auth/caller.ts';
import type { Spooled } from '../spool-body.ts';
import type { Spools } from '../spools.ts';
import { ServiceBody } from './service-body.ts';

/** SHA-256 of a call without a body. */
const HASH_OF_NOTHING = createHash('sha256').digest('hex');

/** The body as the service gets it. */
export interface OutgoingBody {
  readonly content: Readable | Buffer | null;
  /** Bytes; undefined where it is sent in chunks. */
  readonly length: number | undefined;
  /** Gives back what it holds, when the call is over. */
  readonly dispose?: () => Promise<void>;
}

const NO_BODY: OutgoingBody = { content: null, length: undefined };

/**
 * The body of a call: as it comes, where a token has let the caller in; whole and judged, where a
 * signature covers it (D13, D16).
 *
 * @param address that the call comes from
 * @throws GatewayError INVALID_CREDENTIALS, EXCEED_RATELIMIT where too many bodies wait to be judged
 */
export function toBody(
  { body, headers }: GatewayInput,
  { caller, request }: GatewayCall<Caller>,
  spools: Spools,
  address: string,
): OutgoingBody | Promise<OutgoingBody> {
  const length = headers['content-length'];
  // RFC 9112, section 6.3: a request that announces no body has none.
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  if (body === undefined || length === '0' || (length === undefined && !isChunked)) {
    caller.verifyBody?.(HASH_OF_NOTHING);
    return NO_BODY;
  }
  if (caller.verifyBody !== undefined) return judge(caller.verifyBody, spools.spool(body, address));
  return {
    content: new ServiceBody(body),
    length: length === undefined ? undefined : Number(length),
  };
}

async function judge(
  verify: NonNullable<Caller['verifyBody']>,
  spooled: Promise<Spooled>,
): Promise<OutgoingBody> {
  const { hash, length, content, dispose } = await spooled;
  try {
    verify(hash);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { content, length, dispose };
}
