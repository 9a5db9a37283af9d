import { inspect } from 'node:util';
import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type GatewayClientOptions,
  type StorageClientOptions,
} from '@berth/client';
import { vi } from 'vitest';

type Results = (Response | Error)[];

/** A `fetch` that returns the given responses in order, and records its requests. */
function fakeFetch(responses: Results) {
  const requests: Request[] = [];
  const fetch = async (input: Request | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    requests.push(request);
    const response = responses.shift() ?? new Error(`No response is left for ${request.url}`);
    if (response instanceof Error) throw response;
    return response;
  };
  return { fetch, requests };
}

export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const unexpected = (value: unknown) =>
    Promise.reject(new Error(`Expected a rejection, got ${JSON.stringify(value)}`));
  return promise.then(unexpected, (error: unknown) => error);
}

/** Creates a gateway client whose retries do not wait. */
export function gatewayAt(baseUrl: string, options: Partial<GatewayClientOptions> = {}) {
  return createGatewayClient({ retry: { delay: 1 }, ...options, baseUrl } as GatewayClientOptions);
}

export function serviceAt(baseUrl: string, options?: Partial<GatewayClientOptions>, name = 'x') {
  return gatewayAt(baseUrl, options).service(name);
}

/** Creates a gateway client with prepared responses, and records its requests. */
export function gatewayWith(responses: Results, options: Partial<GatewayClientOptions> = {}) {
  const { fetch, requests } = fakeFetch(responses);
  const gateway = gatewayAt('https://g.example', { fetch, retry: false, ...options });
  return { gateway, service: gateway.service('x'), requests };
}

/** Credentials whose values must not appear in errors. */
export const credentials = {
  authorization: '1.0 TC3-HMAC-SHA256 Credential=id, Signature=5ec4e7',
  sessionToken: 'session-5ec4e7',
  timestamp: 1_700_000_000,
};

export function storageAt(baseUrl: string, options: Partial<StorageClientOptions> = {}) {
  return createStorageClient({ baseUrl, envId: 'dev', credentials, ...options });
}

/** Creates a storage client with prepared responses, and records its requests and warnings. */
export function storageWith(responses: Results, options: Partial<StorageClientOptions> = {}) {
  const { fetch, requests } = fakeFetch(responses);
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const storage = storageAt('https://storage.example', { fetch, onWarning, ...options });
  return { storage, requests, warnings };
}

/** Returns credentials whose tokens are `t1`, `t2` and so on. */
export function countedTokens() {
  const token = vi.fn(() => `t${token.mock.calls.length}`);
  return { token, auth: bearer(token) };
}

/** Returns everything that a log could show of a value. */
export const shown = (value: unknown): string =>
  [
    inspect(value, { depth: 10, showHidden: true, getters: true }),
    String(value),
    (value as Error | undefined)?.stack,
    JSON.stringify(value),
  ].join('\n');
