import { createHash } from 'node:crypto';
import type { HeaderList } from '../../http/header-list.ts';
import { toHeaderList } from '../../http/header-list.ts';
import type { Echo } from '../../trial/fixture-tool.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';

/**
 * Whether a call reaches the hosted service changed, or not at all, also with a token instead of a
 * signature. What becomes of its signature then says nothing about the verifier; the change is the subject
 * of other rules. False where there is no token that could tell.
 */
export async function arrivesChanged(t: Trial, call: GatewayCall): Promise<boolean> {
  if (t.settings.gatewayToken === undefined) return false;
  const echo = t.fixture.readEcho(await t.gateway.call({ ...call, credentials: 'bearer' }));
  if (echo) return !isSame(echo, call);
  // Where the token is not accepted at all, it tells nothing.
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
    readAny(echo.headers, name).includes(value.trim()),
  );
  return isTarget && echo.body.sha256 === sha256 && echo.method === call.method && hasHeaders;
}

function readAny(headers: HeaderList, name: string): string {
  const wanted = name.toLowerCase();
  const values = headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
  return values.join(', ');
}
