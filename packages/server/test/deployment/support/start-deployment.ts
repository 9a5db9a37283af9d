import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { StorageCredentials } from '@berth/client';
import { startFixture } from '@berth/conformance/fixture';
import { defaultWireProfile, type WireProfile } from '@berth/server-stubs';
import { signStorageRequest } from '@berth/server-stubs/engine/node';
import { createDevKeys, mintToken } from '../../../src/auth/mint-token.ts';
import type { ConfigInput } from '../../../src/index.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

/** Largest upload of a deployment: enough for a store to use parts. */
const UPLOAD_BYTES = 12 * 1024 * 1024;

export const KEY_PAIR = { id: 'deployment', secret: 'secret of the key pair' };

const PROCESSES = 3;

export interface DeploymentOptions {
  /** Default: a folder that the processes share. */
  readonly store?: ConfigInput['store'];
  readonly wireProfile?: WireProfile;
}

/**
 * Processes that serve one environment, `dev`, with the services `conformance` and `closed`.
 */
export interface Deployment {
  /** The URL of the balancer. */
  readonly url: string;
  readonly processes: readonly ServerProcess[];
  readonly wireProfile: WireProfile;
  readonly token: string;
  /** A token from another environment. */
  readonly foreignToken: string;
  /** Credentials of a storage call made now. */
  credentials(): StorageCredentials & { readonly sessionToken: string };
  close(): Promise<void>;
}

/**
 * Starts three processes of berth-server from one configuration file, behind a round robin whose address is
 * their `publicUrl`.
 */
export async function startDeployment({
  store,
  wireProfile = defaultWireProfile,
}: DeploymentOptions): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-deployment-'));
  const { privateKey: key, jwks } = await createDevKeys();
  const fixture = await startFixture({ port: 0 });
  const balancer = await startRoundRobin();
  const endpoints = [fixture.url];
  const config: ConfigInput = {
    publicUrl: balancer.url,
    wireProfile: './wire-profile.json',
    limits: { uploadBytes: UPLOAD_BYTES },
    store: store ?? { driver: 'file', root: './files' },
    keys: [{ file: './link.key' }],
    environments: {
      dev: {
        tokens: { jwks: './jwks.json' },
        credentials: [{ id: KEY_PAIR.id, secretFile: './secret' }],
        services: {
          conformance: { endpoints },
          closed: { endpoints, callers: ['somebody else'] },
        },
      },
    },
  };
  const files = {
    'berth.yaml': JSON.stringify(config),
    'wire-profile.json': JSON.stringify(wireProfile),
    'link.key': 'a key that signs links and grants',
    'jwks.json': JSON.stringify(jwks),
    secret: `${KEY_PAIR.secret}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const close = async (processes: readonly ServerProcess[]) => {
    await balancer.close();
    await Promise.all(processes.map((one) => one.close()));
    await fixture.close();
    await rm(folder, { recursive: true });
  };
  const starts = await Promise.allSettled(
    Array.from({ length: PROCESSES }, () => startProcess(join(folder, 'berth.yaml'))),
  );
  const processes = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') {
    await close(processes);
    throw failed.reason;
  }
  balancer.route(processes.map(({ url }) => url));
  const mint = (env: string) => mintToken({ env, key, subject: 'me', seconds: 3600 });
  const names = wireProfile.storageHeaders;
  return {
    url: balancer.url,
    processes,
    wireProfile,
    token: await mint('dev'),
    foreignToken: await mint('other'),
    credentials() {
      const now = Math.floor(Date.now() / 1000);
      const headers = signStorageRequest(KEY_PAIR, { timestamp: now, wireProfile });
      return {
        authorization: headers[names.authorization] as string,
        sessionToken: headers[names.sessionToken] as string,
        timestamp: headers[names.timestamp] as string,
      };
    },
    close: () => close(processes),
  };
}

/** A load balancer without sticky sessions. */
interface RoundRobin {
  readonly url: string;
  /** Targets of the next calls, in turn. */
  route(targets: readonly string[]): void;
  close(): Promise<void>;
}

/** Starts a balancer that distributes calls, not connections: two calls of one client go to two targets. */
async function startRoundRobin(): Promise<RoundRobin> {
  let targets: readonly string[] = [];
  let calls = 0;
  const agent = new Agent({ keepAlive: true });
  const next = () => {
    const { hostname, port } = new URL(targets[calls++ % targets.length] as string);
    return { hostname, port };
  };
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '', rawHeaders: headers } = incoming;
    const call = request({ ...next(), method, path, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      pipeline(response, outgoing, () => {});
    });
    // A target that rejects a body early responds and closes: the response must still reach the client.
    call.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end());
    incoming.pipe(call);
    outgoing.on('close', () => outgoing.writableFinished || call.destroy());
  }).listen(0, '127.0.0.1');
  server.on('upgrade', ({ method, url, rawHeaders }, socket: Socket, head) => {
    const { hostname, port } = next();
    const upstream = connect(Number(port), hostname);
    const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    upstream.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    upstream.write(head);
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    upstream.pipe(socket).pipe(upstream);
  });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    route(to) {
      targets = to;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A `berth-server` in a separate process. */
export interface ServerProcess {
  readonly url: string;
  readonly adminUrl: string;
  /** Stops it. @throws Error if it exits with another code than 0 */
  close(): Promise<void>;
}

/** Starts the command line with a configuration file, on free ports. */
async function startProcess(config: string): Promise<ServerProcess> {
  const options = ['--config', config, '--port', '0', '--admin-port', '0'];
  const child = spawn(process.execPath, ['--conditions=berth-source', CLI, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.removeListener('exit', kill));
  const lines = createInterface({ input: child.stdout });
  const listening = new Promise<{ url: string; adminUrl: string }>((resolve) => {
    lines.on('line', (text) => {
      const line = JSON.parse(text);
      if (line.msg === 'listening') resolve(line);
      if (line.level === 'error') process.stderr.write(`${text}\n`);
    });
  });
  const { url, adminUrl } = await Promise.race([
    listening,
    ended.then(([code]) => Promise.reject(new Error(`berth-server ended with ${code}`))),
  ]);
  return {
    url,
    adminUrl,
    async close() {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`berth-server ended with ${code ?? signal}`);
    },
  };
}
