import {
  signTc3,
  type Tc3Input,
  type Tc3Keys,
  type Tc3Parts,
  toTc3Header,
} from '../../credentials/sign-tc3.ts';
import type { HeaderList } from '../../http/header-list.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';

/** A call, and what of its signature is not as usual. */
export interface SignedCall {
  /** Default: GET, or POST where there is a body. */
  method?: string;
  /** What stands behind the name of the service, query included. */
  path: string;
  /** Headers that are sent. */
  headers?: HeaderList;
  body?: string;
  /** Headers that are signed. Default: `Host` and all that are sent. */
  signed?: HeaderList;
  /** What is signed instead of what is sent; `path` begins behind the name of the service, query excluded. */
  instead?: Partial<Omit<Tc3Input, 'headers'>>;
  /** What is signed with. Default: the key pair of the run. */
  keys?: Partial<Tc3Keys>;
  /** Changes the parts of the header after signing. */
  change?: (parts: Tc3Parts) => Partial<Tc3Parts>;
  /** Between the parts. Default: a comma and a space. */
  separator?: string;
}

/** A call with a signature in `Authorization` that is made part by part, so that one can be wrong. */
export function signCall(t: Trial, call: SignedCall): GatewayCall {
  const { path, headers = [], body, instead = {}, change = (parts) => parts } = call;
  const method = call.method ?? (body === undefined ? 'GET' : 'POST');
  const [route = '', ...query] = path.split('?');
  const parts = signTc3(
    {
      ...{ method, query: query.join('?'), body: Buffer.from(body ?? '') },
      ...{ timestamp: now(), ...instead },
      path: t.gateway.servicePath + (instead.path ?? route),
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

/** The key pair of the run; a check that signs needs one. */
export function keysOf({ settings: { tc3 } }: Trial): Tc3Keys {
  if (tc3 === undefined) throw new Error('No key pair: the check needs `signature`.');
  return tc3;
}

/** Unix time in seconds. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** The content type of a signed POST. */
export const JSON_TYPE: HeaderList[number] = ['Content-Type', 'application/json; charset=utf-8'];
