import type { HeaderList } from '../http/header-list.ts';

/** What a signer of one's own is given: a call as it will be sent, but for the credentials. */
export interface UnsignedCall {
  method: string;
  /** Absolute URL, its path and query exactly as they are sent. */
  url: string;
  /** `Host` among them. */
  headers: HeaderList;
  body: Uint8Array;
}

/**
 * Signers of one's own, for `--auth-module FILE`: the default export of an ES module.
 *
 * @example
 * export default {
 *   async gateway({ method, url }) {
 *     return { Authorization: await sign(method, url) };
 *   },
 * };
 */
export interface AuthModule {
  /** Headers that identify the caller of a gateway call. */
  gateway?: (call: UnsignedCall) => Record<string, string> | Promise<Record<string, string>>;
  /** Headers that identify the caller of a storage call. */
  storage?: (call: UnsignedCall) => Record<string, string> | Promise<Record<string, string>>;
}
