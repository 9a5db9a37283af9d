import { on, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { parseLink } from '@berth/storage';
import { type Config, loadConfig } from '../config/config.ts';
import { MAX_GRANT_SECONDS } from '../config/schema.ts';
import { createLog, flushLog } from '../observe/log.ts';
import { connectRedis, type Revocable } from '../redis.ts';
import { createServer, createServerWithLog } from '../server.ts';
import { fsck as checkFiles } from '../store/disk/fsck.ts';
import {
  describeDevelopment,
  mintToken,
  openDevelopmentKeys,
  readDevelopmentKeys,
  type TokenRequest,
  toDevelopmentConfig,
  toTerminalLine,
} from './development.ts';
import { Failure } from './failure.ts';

/** Runs a server until SIGINT or SIGTERM. A second signal ends the process immediately. */
export async function serveConfig(file: string): Promise<void> {
  // Listen now: a SIGHUP during startup must not end the process.
  const hangUps = on(process, 'SIGHUP');
  const config = await loadConfig(file);
  const log = createLog(config.log.level);
  const server = await createServerWithLog(config, log);
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'failed'));
  let isStopping = false;
  const reload = async () => {
    try {
      const restarts = await server.reload(await loadConfig(file));
      if (isStopping) log.warn('not reloading the configuration, because the server is stopping');
      else log.info('reloaded the configuration');
      if (restarts.length > 0) log.warn({ settings: restarts }, 'these changes need a restart');
    } catch (error) {
      log.error({ err: error }, 'cannot use the new configuration; keeping the old one');
    }
  };
  await server.listen();
  stopOnSignal(async (signal) => {
    isStopping = true;
    log.info({ signal }, 'shutting down');
    await server.close();
    log.info('stopped');
    await flushLog();
  });
  // The URLs are for this machine, also if the server is exposed to the network.
  const { host } = config.listen;
  log.info({ url: server.url, host, adminUrl: server.adminUrl }, 'listening');
  // One reload at a time, so that the last one requested wins.
  for await (const _ of hangUps) await reload();
}

/**
 * Runs a development server until SIGINT or SIGTERM, with the environment `dev`, keys from the folder, and the service
 * `hello` on loopback. Prints how to call it.
 */
export async function serveDevelopment(port: number, folder: string): Promise<void> {
  const data = resolve(folder);
  const keys = await openDevelopmentKeys(data);
  const input = toDevelopmentConfig(port, data, keys, await startHelloService());
  const logTo = { write: (line: string) => void process.stdout.write(toTerminalLine(line)) };
  const server = await createServer(input, { logTo });
  await server.listen();
  stopOnSignal(async () => {
    process.stdout.write('Finishing calls in progress; press Ctrl-C again to stop immediately.\n');
    await server.close();
  });
  process.stdout.write(await describeDevelopment(server.url, data, keys));
}

/** Terminals, npm and process managers often send a signal twice: to the group, and to the process. */
const ECHO_MILLISECONDS = 500;

/** Stops and exits on the first SIGINT or SIGTERM. A later one, other than its echo, exits at once. */
function stopOnSignal(stop: (signal: string) => Promise<void>): void {
  let since: number | undefined;
  const onSignal = (signal: string) => {
    if (since === undefined) {
      since = performance.now();
      void stop(signal).then(() => process.exit(0));
    } else if (performance.now() - since > ECHO_MILLISECONDS) {
      process.exit(1);
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/** The contract's example, which the `hello` of the mock returns too. */
const GREETING = JSON.stringify(gateway.components.examples.Greeting.value);

/** Starts the demo service `hello` on a free loopback port, until the process ends, and returns its URL. */
async function startHelloService(): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(GREETING);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function fsck(root: string, options: { readonly repair?: boolean }): Promise<void> {
  const { files, bytes, problems } = await checkFiles(root, {
    ...options,
    onProblem: ({ kind, path, detail }) => process.stdout.write(`${kind}: ${path}: ${detail}\n`),
  }).catch((error: Error) => {
    const { code, path } = (error.cause ?? {}) as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    if (isMissing) throw new Failure(`${root} is not the folder of a store: pass store.root.`);
    throw path === undefined ? error : new Failure(`${error.message} Check ${path}.`);
  });
  process.stdout.write(`Files: ${files}, bytes: ${bytes}, problems: ${problems}.\n`);
  if (problems === 0 || options.repair) return;
  throw new Failure(`${root} has damaged or foreign files: run again with --repair.`, 1);
}

export async function revoke(kind: Revocable, subject: string, file: string): Promise<void> {
  const config = await loadConfig(file);
  if (config.redis === undefined) {
    const advice = 'to revoke a key pair without Redis, remove it from the configuration.';
    throw new Failure(`${file} has no redis.url, so its processes share no revocations: ${advice}`);
  }
  const { name, seconds, warning } = toRevocation(kind, subject, file, config);
  const redis = await connectRedis(config.redis);
  try {
    await redis.revoke(kind, name, seconds);
    process.stdout.write(`Revoked the ${kind.replace('-', ' ')}.\n`);
    if (warning !== undefined) process.stderr.write(`Warning: ${warning}\n`);
  } finally {
    redis.close();
  }
}

/** A `storeFileID`. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function toRevocation(
  kind: Revocable,
  subject: string,
  file: string,
  { environments }: Config,
): { name: string; seconds?: number; warning?: string } {
  switch (kind) {
    case 'key-pair': {
      const [env = '', ...rest] = subject.split('/');
      const id = rest.join('/');
      if (id === '') throw new Failure('Write a key pair as environment and ID, such as dev/ci.');
      const environment = Object.hasOwn(environments, env) ? environments[env] : undefined;
      if (environment === undefined) throw new Failure(`${file} has no environment ${env}.`);
      if (environment.credentials.some((pair) => pair.id === id)) return { name: subject };
      // It may have been removed from the configuration, and still be used by processes that have not reloaded it.
      const warning = `${file} has no key pair ${subject}: check the spelling.`;
      return { name: subject, warning };
    }
    case 'grant':
      if (UUID.test(subject)) return { name: subject, seconds: MAX_GRANT_SECONDS };
      throw new Failure('Pass the storeFileID of a grant, such as 3f0c6a52-….');
    case 'link': {
      const { pathname = '', search = '' } = URL.parse(subject) ?? {};
      const { id, expires } = parseLink(`${pathname}${search}`);
      const seconds = (Number(expires) - Date.now()) / 1000;
      if (id !== '' && seconds > 0) return { name: id, seconds };
      throw new Failure('Pass the URL of a link that has not expired.');
    }
  }
}

export async function token({
  data,
  ...request
}: Omit<TokenRequest, 'key'> & { readonly data: string }): Promise<void> {
  const keys = await readDevelopmentKeys(data);
  if (keys === undefined) {
    const fix = 'start one there, or pass its --data.';
    throw new Failure(`${data} is not the data folder of a development server: ${fix}`);
  }
  process.stdout.write(`${await mintToken({ ...request, key: keys.tokenKey })}\n`);
}
