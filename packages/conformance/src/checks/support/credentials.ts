import { createHash, createHmac } from 'node:crypto';
import type { CheckContext } from '../../context/check-context.ts';
import type { GatewayCall, GatewayClient } from '../../context/gateway-client.ts';
import {
  signTc3,
  type Tc3Input,
  type Tc3Keys,
  type Tc3Parts,
  toTc3Header,
} from '../../credentials/sign-tc3.ts';
import {
  type Exchange,
  type HeaderList,
  parseJson,
  readAll,
  toHeaderList,
} from '../../http/exchange.ts';
import { hasErrorBody } from '../../invariants.ts';
import { cite } from '../../validation/cite.ts';

/** Well below the tolerance of any reasonable verifier, in seconds. */
const FARTHEST = 120;

/**
 * Ends a check whose signatures contain the time if this machine's clock differs from the gateway's, because
 * a rejected call would then prove nothing about the gateway.
 */
export async function assertClock(t: CheckContext): Promise<void> {
  const { received } = await t.gateway.call({ credentials: 'none' });
  const theirs = Date.parse(received.header('date') ?? '');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  const isClose = Number.isNaN(theirs) || seconds <= FARTHEST;
  t.reach(isClose, `this machine's clock differs from the gateway's by ${seconds} s`);
}

export type NamedCalls = Record<string, GatewayCall>;

/** Statuses of a gateway that rejects such a body from anyone: the contract specifies no limits. */
const NO_SUCH_BODY = [411, 413, 415];

/** Returns whether the response to a call says nothing about its credentials. */
type Excuse = (t: CheckContext, call: GatewayCall) => Promise<boolean>;

const NONE: Excuse = async () => false;

/** Makes calls that must reach the fixture service, unless they are excused. */
export async function expectForwarded(
  t: CheckContext,
  calls: NamedCalls,
  isExcused = NONE,
): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const isForwarded = t.fixture.readEcho(exchange) !== undefined;
    const came = spell(exchange);
    if (!isForwarded && NO_SUCH_BODY.includes(exchange.received.status)) {
      t.note(`${what} was rejected with ${came}, for a reason other than its credentials.`);
    } else if (isForwarded || !(await isExcused(t, call))) {
      const message = `${what} must be accepted, but the response was ${came}`;
      t.expect(isForwarded, message, exchange);
    }
  }
}

/**
 * Makes calls that must be rejected 'with a 4xx and the error body' (D15), and that the fixture service must
 * never receive.
 *
 * @param toCalls creates them with `mark=…` in their query, by which the service counts them
 * @param gateway the client for the calls. Default: each has its own connection
 */
export async function expectRefused(
  t: CheckContext,
  toCalls: (mark: string) => NamedCalls,
  isExcused = NONE,
  gateway: Pick<GatewayClient, 'call'> = t.gateway,
): Promise<void> {
  const mark = t.uniqueName();
  const calls = Object.entries(toCalls(`mark=${mark}`));
  let isAnyExcused = false;
  const taken: string[] = [];
  for (const [what, call] of calls) {
    const exchange = await gateway.call({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    const isRefusal = status >= 400 && status <= 499;
    if (!isRefusal && (await isExcused(t, call))) {
      isAnyExcused = true;
      continue;
    }
    if (!isRefusal) taken.push(what);
    const came = `but the response was ${spell(exchange)}`;
    t.expect(isRefusal, `${what} must be rejected with a 4xx, ${came}`, exchange);
    const message = `${what}: the ${status} response must have the gateway's error body`;
    if (isRefusal) t.expect(hasErrorBody(exchange.received), message, exchange);
  }
  if (isAnyExcused) return;
  const count = await t.fixture.count(mark);
  // A gateway may also reject a call that it has already forwarded.
  const names = cite((taken.length > 0 ? taken : calls.map(([what]) => what)).join('; '));
  const message = `the hosted service must not be called, but it was called ${count} times (${names})`;
  t.expect(count === 0, message);
}

function spell({ received: { status, json } }: Exchange): string {
  const { code } = Object(json);
  return typeof code === 'string' ? `${status} ${code}` : `${status}`;
}

/** A call, and how its signature deviates from the usual one. */
export interface SignedCall {
  method?: string;
  /** What follows the service name, including the query. */
  path?: string;
  headers?: HeaderList;
  body?: string;
  /** Headers to sign. Default: `Host` and all headers that are sent. */
  signed?: HeaderList;
  /** What to sign instead of what is sent; `path` begins after the service name and excludes the query. */
  instead?: Partial<Omit<Tc3Input, 'headers'>>;
  /** What to sign with. Default: the run's key pair. */
  keys?: Partial<Tc3Keys>;
  change?: (parts: Tc3Parts) => Partial<Tc3Parts>;
  /** Separator between the parts. Default: a comma and a space. */
  separator?: string;
}

/** Creates a call whose signature is built part by part, so that a check can falsify a single part. */
export function signCall(t: CheckContext, call: SignedCall): GatewayCall {
  const { path = '/signed', headers = [], body, instead, change = (parts) => parts } = call;
  const method = call.method ?? (body === undefined ? 'GET' : 'POST');
  const [route = '', ...query] = path.split('?');
  const parts = signTc3(
    {
      ...{ method, query: query.join('?'), body: Buffer.from(body ?? ''), timestamp: now() },
      ...instead,
      path: t.gateway.servicePath + (instead?.path ?? route),
      headers: call.signed ?? [['Host', t.gateway.host], ...headers],
    },
    { ...keysOf(t), ...call.keys },
  );
  return {
    ...{ method, path, headers },
    ...(body === undefined ? {} : { body }),
    credentials: [['Authorization', toTc3Header(change(parts), call.separator)]],
  };
}

/** Returns the run's key pair, which must be configured for checks that sign calls. */
export function keysOf({ settings: { tc3 } }: CheckContext): Tc3Keys {
  if (tc3 === undefined)
    throw new Error('The run has no key pair: the check must list `signature` in its needs.');
  return tc3;
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Returns whether a call arrives at the hosted service changed, or not at all, even with a token instead of a
 * signature. Its result then says nothing about the verifier, and other rules cover the change. False if
 * there is no token to find out with.
 */
export async function arrivesChanged(t: CheckContext, call: GatewayCall): Promise<boolean> {
  if (t.settings.gatewayToken === undefined) return false;
  const echo = t.fixture.readEcho(await t.gateway.call({ ...call, credentials: 'bearer' }));
  if (echo === undefined) {
    // If the token is not accepted at all, it proves nothing.
    const plain = await t.gateway.call({ path: '/echo', credentials: 'bearer' });
    return t.fixture.readEcho(plain) !== undefined;
  }
  const { path = '', body = '', method, headers } = call;
  const isTarget = [path, path.replace(/^\??/, '/$&')].includes(echo.target);
  const isBody = echo.body.sha256 === createHash('sha256').update(body).digest('hex');
  const sent = toHeaderList(headers).filter(([name]) => !/^host$/i.test(name));
  const hasHeaders = sent.every(([name, value]) =>
    readAll(echo.headers, name).join(', ').includes(value.trim()),
  );
  return !(isTarget && isBody && echo.method === method && hasHeaders);
}

/**
 * Derives invalid tokens from a valid token, keyed by what was changed. The gateway must reject all of them.
 * A JSON Web Token (RFC 7519) is changed in the ways that careless verifiers overlook; any other token is
 * changed as plain text.
 */
export function forgeTokens(token: string): Record<string, string> {
  const cut = {
    'a truncated token': token.slice(0, Math.floor(token.length / 2)),
    'a token with four extra letters': `${token}AAAA`,
    ...(token !== token.toLowerCase() && { 'a token in lower case': token.toLowerCase() }),
  };
  const [head = '', payload = '', signature = ''] = token.split('.');
  // In the middle: the last letters may be just padding.
  const changeMiddle = (text: string) => {
    const middle = Math.floor(text.length / 2);
    return changeLetters(text, middle - 2, middle + 2);
  };
  const [header, claims] = [head, payload].map((part) =>
    parseJson(Buffer.from(part, 'base64url')),
  ) as (Record<string, unknown> | undefined)[];
  if (!header || !claims) return { ...cut, 'a token with changed letters': changeMiddle(token) };
  const toPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const withAlgorithm = (alg: string) => `${toPart({ ...header, alg })}.${payload}`;
  const changed = toPart({ ...claims, sub: `${claims.sub ?? ''}x` });
  const hs256 = withAlgorithm('HS256');
  return {
    ...cut,
    'a token with a changed payload': `${head}.${changed}.${signature}`,
    'a token with a changed signature': `${head}.${payload}.${changeMiddle(signature)}`,
    'a token without its signature': `${head}.${payload}`,
    'a token with algorithm none': `${withAlgorithm('none')}.`,
    'a token with algorithm nOnE': `${withAlgorithm('nOnE')}.`,
    'a token with algorithm none and a signature': `${withAlgorithm('none')}.${signature}`,
    'a token signed with an empty secret': `${hs256}.${createHmac('sha256', '').update(hs256).digest('base64url')}`,
  };
}

/** Changes each letter of a part of a text to another one, which is also a digit of hex and base64. */
export function changeLetters(text: string, start: number, end = text.length): string {
  const changed = text.slice(start, end).replace(/./g, (one) => (one === '0' ? '1' : '0'));
  return text.slice(0, start) + changed + text.slice(end);
}

/** Headers that some servers take for the identity of an internal call. */
export const IDENTITIES: HeaderList = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-User', 'admin'],
  ['X-Remote-User', 'admin'],
];
