import { startMock } from '../../src/create-mock.ts';
import type { MockOptions } from '../../src/index.ts';
import { resolveOptions } from '../../src/options.ts';

/** Starts a mock with these services, and returns the parts of it that the tests look at. */
export async function startServices(
  services?: MockOptions['services'],
  events: Parameters<typeof startMock>[1] = {},
) {
  const { mock, context } = await startMock(resolveOptions({ services }), events);
  return {
    url: mock.url,
    port: mock.port,
    services: context.services,
    session: context.sessions.get(''),
    requests: { list: () => mock.session().requests() },
    [Symbol.asyncDispose]: mock.close,
  };
}

export type Started = Awaited<ReturnType<typeof startServices>>;

export const AUTH = { authorization: 'Bearer any' };

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
type Reply = Omit<Response, 'json'> & { json(): Promise<any> };

/** Calls a service by `name/path`. */
export function get(
  { url }: { url: string },
  path: string,
  init: RequestInit = {},
): Promise<Reply> {
  const headers = { ...AUTH, ...(init.headers as Record<string, string>) };
  return fetch(`${url}/v1/cloudrun/${path}`, { ...init, headers });
}

export function post(
  started: { url: string },
  path: string,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
) {
  return get(started, path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}
