import { createMockSession } from './control/create-mock-session.ts';
import type { MockSession } from './control/mock-session.ts';
import type { MockOptions } from './options.ts';
import { serve } from './serve.ts';
import { KEY_PAIR, type MockCredentials } from './surfaces/auth/credentials.ts';

/** A running mock. */
export interface Mock {
  /** Address of the mock, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly url: string;
  /** `{base_url}` of the contract: base address of the gateway. */
  readonly gatewayUrl: string;
  /** `{storage_api_url}` of the contract: base address of the storage API. */
  readonly storageUrl: string;
  /** Address of the upload target. */
  readonly uploadUrl: string;
  /** Port that the mock listens on. */
  readonly port: number;
  /** Certificate of `tls`, for clients to trust, in PEM; undefined for HTTP. */
  readonly certificate: string | undefined;
  /** Credentials that `auth: 'strict'` accepts. */
  credentials(): Promise<MockCredentials>;
  /**
   * Access to what calls can change: files, clock, faults, log, states of services. The header
   * `X-Mock-Session` of a call chooses its session.
   *
   * @param id default: the session of all calls without the header
   */
  session(id?: string): MockSession;
  /** Stops the mock: closes open connections and drops files in memory. May be called again. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a mock of the whole API on one port: the gateway (v1), the storage API (v2), the upload target and
 * the download links.
 *
 * @throws TypeError, RangeError for an invalid option; the error of `node:net` if it cannot listen
 * @example
 * await using mock = await createMock();
 * await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer any' } });
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const { url, port, certificate, context, close } = await serve(options);
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
    certificate,
    async credentials() {
      const { mintToken } = await import('./surfaces/auth/mint-token.ts');
      return { ...KEY_PAIR, token: await mintToken(context.options.env) };
    },
    session: (id = '') => createMockSession(context, id),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
