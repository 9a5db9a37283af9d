import type { MockOptions } from './options.ts';
import { serve } from './serve.ts';

/** A running mock. */
export interface Mock {
  /** Address of the mock, without a trailing slash: `http://127.0.0.1:4010`. */
  url: string;
  /** `{base_url}` of the contract: base address of the gateway. */
  gatewayUrl: string;
  /** `{storage_api_url}` of the contract: base address of the storage API. */
  storageUrl: string;
  /** Address of the upload target. */
  uploadUrl: string;
  /** Port that the mock listens on. */
  port: number;
  /** Stops the mock: open connections are cut, the files are forgotten. May be called again. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a mock of the whole API on one port: the gateway (v1), the storage API (v2), the upload
 * target and the download links.
 *
 * @throws TypeError, RangeError for a wrong option; the error of `node:net` where it cannot listen
 * @example
 * await using mock = await createMock();
 * await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer any' } });
 */
export async function createMock(options: MockOptions = {}): Promise<Mock> {
  const { url, port, close } = await serve(options);
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
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
