import { createHash } from 'node:crypto';
import type { CheckContext } from '../../context/check-context.ts';
import type { Echo } from '../../context/fixture-client.ts';
import type { GatewayCall } from '../../context/gateway-client.ts';
import {
  signTc3,
  type Tc3Input,
  type Tc3Keys,
  type Tc3Parts,
  toTc3Header,
} from '../../credentials/sign-tc3.ts';
import type { RuleId } from '../../generated/rule-ids.gen.ts';
import { type HeaderList, readAll, toHeaderList } from '../../http/exchange.ts';
import { type Check, defineCheck } from '../check.ts';
import { assertClock, expectForwarded, expectRefused } from './gateway.ts';

/** A call, and how its signature deviates from the usual one. */
export interface SignedCall {
  /** Default: GET, or POST if there is a body. */
  method?: string;
  /** What follows the service name, including the query. Default: a path, with the mark if there is one. */
  path?: string;
  /** Headers to send. */
  headers?: HeaderList;
  body?: string;
  /** Headers to sign. Default: `Host` and all headers that are sent. */
  signed?: HeaderList;
  /** What to sign instead of what is sent; `path` begins after the service name and excludes the query. */
  instead?: Partial<Omit<Tc3Input, 'headers'>>;
  /** What to sign with. Default: the run's key pair. */
  keys?: Partial<Tc3Keys>;
  /** Changes the parts of the header after signing. */
  change?: (parts: Tc3Parts) => Partial<Tc3Parts>;
  /** Separator between the parts. Default: a comma and a space. */
  separator?: string;
}

/** Signed calls, keyed by description. */
export type SignedCalls = Record<string, SignedCall>;

/** The content type of a signed POST. */
export const JSON_TYPE: HeaderList[number] = ['Content-Type', 'application/json; charset=utf-8'];

/** A signed POST. */
export const POST = { headers: [JSON_TYPE], body: '{"a":1}' } as const satisfies SignedCall;

/**
 * Creates a call whose `Authorization` signature is built part by part, so that a check can falsify a single
 * part.
 */
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

/** Returns the current Unix time in seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Ends a check about one part of the signature if the gateway rejects even a valid signature. It would then
 * reject every invalid signature too, and AU-SIGNATURE covers the failure.
 */
export async function reachSignature(t: CheckContext): Promise<void> {
  await assertClock(t);
  for (const call of [{}, POST]) {
    const signed = signCall(t, { path: '/signed?a=1', ...call });
    const exchange = await t.gateway.call(signed);
    const { status } = exchange.received;
    const isForwarded = t.fixture.readEcho(exchange) !== undefined;
    t.reach(isForwarded, `the response to a ${signed.method} with a valid signature was ${status}`);
  }
}

/**
 * Defines the check for a rule about signatures.
 *
 * @param toCases creates `good` calls, which must be accepted, and `bad` calls, which must be rejected and
 *   must not reach the hosted service. The service counts them by the `mark` in their query
 */
export function defineSignatureCheck(
  rule: RuleId,
  toCases: (t: CheckContext, mark: string) => { good?: SignedCalls; bad?: SignedCalls },
): Check {
  return defineCheck(rule, ['fixture', 'signature'], async (t) => {
    await reachSignature(t);
    const mark = t.uniqueName();
    const { good = {}, bad } = toCases(t, mark);
    const signAll = (calls: SignedCalls, path: string) =>
      Object.fromEntries(
        Object.entries(calls).map(([what, call]) => [what, signCall(t, { path, ...call })]),
      );
    await expectForwarded(t, signAll(good, '/signed'), arrivesChanged);
    if (bad) await expectRefused(t, mark, signAll(bad, `/signed?mark=${mark}`), arrivesChanged);
  });
}

/**
 * Returns whether a call arrives at the hosted service changed, or not at all, even with a token instead of a
 * signature. Its result then says nothing about the verifier, and other rules cover the change. False if
 * there is no token to find out with.
 */
async function arrivesChanged(t: CheckContext, call: GatewayCall): Promise<boolean> {
  if (t.settings.gatewayToken === undefined) return false;
  const echo = t.fixture.readEcho(await t.gateway.call({ ...call, credentials: 'bearer' }));
  if (echo) return !isSame(echo, call);
  // If the token is not accepted at all, it proves nothing.
  const plain = await t.gateway.call({ path: '/echo', credentials: 'bearer' });
  return t.fixture.readEcho(plain) !== undefined;
}

function isSame(echo: Echo, call: GatewayCall): boolean {
  const path = call.path ?? '';
  const isTarget = [path, path.replace(/^\??/, '/$&')].includes(echo.target);
  const sha256 = createHash('sha256')
    .update(call.body ?? '')
    .digest('hex');
  const sent = toHeaderList(call.headers).filter(([name]) => !/^host$/i.test(name));
  const hasHeaders = sent.every(([name, value]) =>
    readAll(echo.headers, name).join(', ').includes(value.trim()),
  );
  return isTarget && echo.body.sha256 === sha256 && echo.method === call.method && hasHeaders;
}
