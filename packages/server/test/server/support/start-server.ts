import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { begin, type Sent, send } from '../../../../server-stubs/test/support/send.ts';
import { sign } from '../../../../server-stubs/test/support/sign.ts';
import { createTokenKeys, mintToken } from '../../../src/cli/development.ts';
import { type ConfigInput, createServer } from '../../../src/index.ts';
import { startService } from './hosted-service.ts';

const dev = await createTokenKeys();

/** A log line. */
export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** A call of a hosted service. */
export interface ServiceCall extends Sent {}

/** Starts a server of the environment `dev` on free ports; it ends with the test. */
export async function startServer(
  change: Partial<ConfigInput> = {},
  environment: Partial<ConfigInput['environments'][string]> = {},
) {
  const lines: Line[] = [];
  /** The lines as written. */
  const written: string[] = [];
  const config = {
    listen: { port: 0, shutdownSeconds: 1, ...change.listen },
    admin: { port: 0 },
    store: { driver: 'file' as const, root: await makeFolder() },
    keys: [{ secret: 'a key that signs links and grants' }],
    ...Object.fromEntries(Object.entries(change).filter(([name]) => name !== 'listen')),
    environments: {
      dev: { tokens: { jwks: { keys: dev.jwks.keys.map((key) => ({ ...key })) } }, ...environment },
      ...change.environments,
    },
  } as ConfigInput;
  const server = await createServer(config, {
    logTo: {
      write(line: string) {
        written.push(line);
        lines.push(JSON.parse(line));
      },
    },
  });
  await server.listen();
  onTestFinished(() => server.close());
  const key = { key: dev.tokenKey, seconds: 3600 };
  const mint = (subject: string) => mintToken({ ...key, subject });
  const token = await mint('me');
  const { url, adminUrl } = server;
  const authorization = `Bearer ${token}`;
  const call = (path = '', init: RequestInit = {}) =>
    fetch(url + HELLO + path, { ...init, headers: { authorization, ...init.headers } });
  const withToken = ({ headers, ...sent }: ServiceCall) => ({
    ...sent,
    headers: { authorization, ...headers },
  });
  const metrics = async () => (await fetch(`${adminUrl}/metrics`)).text();
  /** Like `call`, with headers that `fetch` does not send; `code` is that of an error of the gateway. */
  const sendCall = async (sent: ServiceCall = {}, path = HELLO) => {
    const received = await send(url, path, withToken(sent));
    const isOwn = received.headers['x-svc-upstream-status-code'] === undefined;
    return { ...received, ...(isOwn && { code: (received.json as { code?: string })?.code }) };
  };
  return {
    server,
    url,
    adminUrl,
    config,
    token,
    /** Creates a token of another caller. */
    mint,
    lines,
    written,
    call,
    send: sendCall,
    port: Number(new URL(url).port),
    /** Like `send`, but returns the response as soon as it has begun. */
    begin: (sent: ServiceCall = {}) => begin(url, HELLO, withToken(sent)),
    /** Makes a signed call, whose body may be another than the signed one. */
    sendSigned(pair: Parameters<typeof sign>[0], body = '', { signed = body, path = HELLO } = {}) {
      const method = body === '' ? 'GET' : 'POST';
      const headers = { host: new URL(url).host };
      const timestamp = Math.floor(Date.now() / 1000);
      const authorization = sign(pair, { method, target: path, headers, body: signed, timestamp });
      return sendCall({ method, body, headers: { authorization } }, path);
    },
    /** The bytes of a GET. */
    toGet: (headers = '', target = HELLO) =>
      `GET ${target} HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: ${authorization}\r\n${headers}\r\n`,
    metrics,
    /** The value of a metric without labels. */
    metric: async (name: string) =>
      Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await metrics())?.[1]),
  };
}

/** Starts a server in front of a service. */
export const startInFront = async (listener: RequestListener, change: Partial<ConfigInput> = {}) =>
  startServer(change, serving(await startService(listener)));

const HELLO = '/v1/cloudrun/hello';

/** An environment whose service `hello` has these endpoints. */
export const serving = (...endpoints: string[]) => ({ services: { hello: { endpoints } } });

/** Creates a folder with these files, which is removed after the test. */
export async function makeFolder(
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'berth-server-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}
