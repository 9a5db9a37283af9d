import { STORAGE_OPERATIONS } from '../generated/storage-operations.gen.ts';
import { type Sent, splitTarget } from '../http/exchange.ts';
import type { Api } from './openapi.ts';

export interface ContractCall {
  api: Api;
  operationId: string;
  /** Values of the path parameters, as sent. */
  values: Record<string, string>;
  /** What precedes the path of the operation: origin and base path. */
  base: string;
}

/** Where the APIs are. Without any URL, calls are recognized by their paths alone. */
export interface Bases {
  gatewayUrl?: string | undefined;
  storageUrl?: string | undefined;
}

/** The contract has no OPTIONS operation, but a rule about the responses to OPTIONS. */
const GATEWAY_METHODS: Record<string, 'get' | 'post'> = {
  GET: 'get',
  OPTIONS: 'get',
  POST: 'post',
};

const GATEWAY = /^(.*?)\/v1\/cloudrun\/([^/]+)(?:\/(.*))?$/s;
const STORAGE = /^(.*?)\/api\/v2\/envs\/([^/]+)\/storages:(\w+)$/s;

/**
 * Returns which operation of the gateway or the storage API a request calls, or `undefined` if none. The upload
 * target has no path of its own.
 */
export function findCall(
  { method, url }: Pick<Sent, 'method' | 'url'>,
  { gatewayUrl, storageUrl }: Bases = {},
): ContractCall | undefined {
  const { pathname } = splitTarget(url);
  const origin = url.slice(0, /^\w+:\/\/[^/?#]*/.exec(url)?.[0].length ?? 0);
  const isAnywhere = gatewayUrl === undefined && storageUrl === undefined;
  const isAt = (base: string, wanted: string | undefined) =>
    isAnywhere || (wanted !== undefined && toPlain(base) === toPlain(wanted));
  const [, above = '', name = '', rest = ''] = GATEWAY.exec(pathname) ?? [];
  const [, before = '', envId = '', operationId = ''] = STORAGE.exec(pathname) ?? [];
  const verb = GATEWAY_METHODS[method];
  // A hosted service may have paths of the storage API.
  const isGateway = GATEWAY.test(pathname) && (operationId === '' || above.length < before.length);
  if (isGateway) {
    const base = origin + above;
    if (verb === undefined || !isAt(base, gatewayUrl)) return undefined;
    const values = rest === '' ? { name } : { name, anyPath: rest };
    return {
      ...{ api: 'gateway', base, values },
      operationId: `cloudrun-${verb}${rest === '' ? '-root' : ''}`,
    };
  }
  const base = origin + before;
  if (!(STORAGE_OPERATIONS as readonly string[]).includes(operationId) || !isAt(base, storageUrl))
    return undefined;
  return { api: 'storage', operationId, values: { envId }, base };
}

/** Without a default port and a trailing slash, and with the host in lower case. */
function toPlain(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}
