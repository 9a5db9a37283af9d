/**
 * A `fetch`: the platform's, undici's, or your own around one of them, for a proxy, an agent or a
 * test. It gets the address as a string, and has to obey `init.signal` and `init.redirect`.
 *
 * @example
 * import { EnvHttpProxyAgent, fetch } from 'undici';
 * const dispatcher = new EnvHttpProxyAgent();
 * const viaProxy = async (url: string, init: object) =>
 *   (await fetch(url, { ...init, dispatcher })) as unknown as Response; // undici has types of its own
 */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;
