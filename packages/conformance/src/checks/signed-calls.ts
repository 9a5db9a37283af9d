import type { CallContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import {
  now,
  signTc3,
  type Tc3Input,
  type Tc3Keys,
  type Tc3Parts,
  toTc3Header,
} from '../credentials/sign.ts';
import type { HeaderList } from '../http/exchange.ts';
import { SkipError } from '../result.ts';

/** A call, and how its signature deviates from the usual one. */
export interface SignedCall {
  method?: string;
  /** What follows the service name, including the query. */
  path?: string;
  headers?: HeaderList;
  body?: string;
  /** Send the body in a chunk, without its length. */
  isChunked?: boolean;
  /** Headers to sign. Default: `Host` and all headers that are sent. */
  signed?: HeaderList | undefined;
  /** What to sign instead of what is sent; `path` begins after the service name and excludes the query. */
  instead?: Partial<Omit<Tc3Input, 'headers' | 'query' | 'body'>> & { body?: string };
  /** Changes the query that is signed. */
  signedQuery?: (query: string) => string;
  /** What to sign with. Default: the run's key pair. */
  keys?: Partial<Tc3Keys>;
  change?: (parts: Tc3Parts) => Partial<Tc3Parts>;
  /** Separator between the parts. Default: a comma and a space. */
  separator?: string;
}

/** Creates a call whose signature is built part by part, so that a check can falsify a single part. */
export function signCall(t: CallContext, call: SignedCall): GatewayCall {
  const { path = '/signed', headers = [], body, instead, change = (parts) => parts } = call;
  const method = call.method ?? (body === undefined ? 'GET' : 'POST');
  const [route = '', ...rest] = path.split('?');
  const query = rest.join('?');
  const parts = signTc3(
    {
      method,
      timestamp: now(),
      ...instead,
      query: call.signedQuery?.(query) ?? query,
      body: Buffer.from(instead?.body ?? body ?? ''),
      path: t.gateway.servicePath + (instead?.path ?? route),
      headers: call.signed ?? [['Host', t.gateway.host], ...headers],
    },
    { ...keysOf(t), ...call.keys },
  );
  const credentials = { Authorization: toTc3Header(change(parts), call.separator) };
  const withoutBody = { method, path, headers, credentials };
  if (body === undefined) return withoutBody;
  return { ...withoutBody, ...(call.isChunked ? { chunks: [Buffer.from(body)] } : { body }) };
}

/** Returns the run's key pair, for checks that need `signature`. */
export function keysOf({ settings: { tc3 } }: CallContext): Tc3Keys {
  if (tc3 === undefined) throw new Error('The check must list `signature` in its needs.');
  return tc3;
}

/** Well below the tolerance of any reasonable verifier, in seconds. */
const FARTHEST = 120;

/** Skips a check whose signatures contain the time if this machine's clock differs from the gateway's. */
export async function assertClock(t: CallContext): Promise<void> {
  const { received } = await t.gateway.call({ credentials: 'none' });
  const theirs = Date.parse(received.header('date') ?? '');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  if (Number.isNaN(theirs) || seconds <= FARTHEST) return;
  throw new SkipError(`this machine's clock differs from the gateway's by ${seconds} s`);
}

/** Changes each letter of a part of a text to another one, which is also a digit of hex and base64. */
export function changeLetters(text: string, start: number, end = text.length): string {
  const changed = text.slice(start, end).replace(/./g, (letter) => (letter === '0' ? '1' : '0'));
  return text.slice(0, start) + changed + text.slice(end);
}

/** Headers that some servers take for the identity of an internal call. */
export const IDENTITIES: HeaderList = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-User', 'admin'],
  ['X-Remote-User', 'admin'],
];
