import { createMockSession, type MockSession } from './control/mock-session.ts';
import type { MockOptions } from './options.ts';
import { serve } from './serve.ts';
import { KEY_PAIR, type MockCredentials } from './surfaces/auth/auth.ts';

/** A running mock. */
export interface Mock {
  /** URL of the mock, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Base URL of the gateway; `{base_url}` in the contract. */
  readonly gatewayUrl: string;
  /** Base URL of the storage API; `{storage_api_url}` in the contract. */
  readonly storageUrl: string;
  /** URL of the upload target. */
  readonly uploadUrl: string;
  /** Port that the mock listens on. */
  readonly port: number;
  /** Credentials that `auth: 'strict'` accepts. */
  credentials(): Promise<MockCredentials>;
  /**
   * Returns a session, to inspect or change what calls can change: files, clock, faults and log. A call
   * selects its session with the `X-Mock-Session` header.
   *
   * @param id default: the session of all calls without the header
   */
  session(id?: string): MockSession;
  /** Stops the mock: closes open connections and discards files in memory. Safe to call more than once. */
  close(): Promise<void>;
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a mock of the complete API on one port: the gateway (v1), the storage API (v2), the upload target
 * and the download links.
 *
 * @throws TypeError or RangeError for an invalid option; a `node:net` error if it cannot listen
 * @example
 * await using mock = await createMock();
 * await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer any' } });
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const { url, port, context, close } = await serve(options);
  let closed: Promise<void> | undefined;
  const closeOnce = () => {
    closed ??= close();
    return closed;
  };
  return {
    url,
    gatewayUrl: url,
    storageUrl: url,
    uploadUrl: `${url}/`,
    port,
    async credentials() {
      const { mintToken } = await import('./surfaces/auth/strict-auth.ts');
      return { ...KEY_PAIR, token: await mintToken(context.options.env) };
    },
    session: (id = '') => createMockSession(context.sessions, id),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
