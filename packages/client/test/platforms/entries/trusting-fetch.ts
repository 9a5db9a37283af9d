import type { FetchLike } from '@berth/client';

/** Features that only some platforms have. */
interface Globals {
  readonly Deno?: { createHttpClient(options: { caCerts: string[] }): unknown };
  readonly Bun?: unknown;
}

/** A `fetch` that trusts a certificate, which works differently on each platform. */
export async function createTrustingFetch(): Promise<(ca: string) => FetchLike> {
  const { Deno, Bun } = globalThis as Globals;
  if (Deno) {
    return (ca) => {
      const client = Deno.createHttpClient({ caCerts: [ca] });
      return (url, init) => fetch(url, { ...init, client } as RequestInit);
    };
  }
  if (Bun) return (ca) => (url, init) => fetch(url, { ...init, tls: { ca } } as RequestInit);
  const undici = await import('undici7');
  return (ca) => {
    const dispatcher = new undici.Agent({ connect: { ca } });
    return ((url: string, init: object) => undici.fetch(url, { ...init, dispatcher })) as never;
  };
}
