import { resolve } from 'node:path';
import { isLoopback } from '@berth/server-stubs';
import { mintToken } from '../auth/mint-token.ts';
import { type Config, secretsOf } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { reloadConfig } from '../config/reload-config.ts';
import { type ResolvedConfig, resolveConfig } from '../config/resolve-config.ts';
import { type FileWatch, watchFile } from '../config/watch-file.ts';
import { createLog } from '../observe/create-log.ts';
import { createCore } from '../server/create-core.ts';
import { checkParts } from '../server/create-state.ts';
import { type DevelopmentFacts, describeDevelopment } from './describe-development.ts';
import { DEVELOPMENT_ENV, developmentConfig, openDevelopmentKeys } from './development-keys.ts';
import { Failure } from './fail.ts';
import { startHelloService } from './hello-service.ts';

const TOKEN_SECONDS = 86_400;

/** Terminals, npm and process managers often send a signal twice: to the group, and to the process. */
const ECHO_MILLISECONDS = 500;

/**
 * Runs the server until SIGINT or SIGTERM. A second signal ends the process immediately. SIGHUP reloads the
 * configuration.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const setup = await openSetup(options);
  let { resolved } = setup;
  const { config } = resolved;
  assertTwoPorts(config);
  const serverLog = createLog({ level: config.log.level, secrets: secretsOf(config) });
  const { log } = serverLog;
  const server = await createCore(config, serverLog);
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'failed'));
  const stop = async (signal: string) => {
    log.info({ signal }, 'shutting down');
    await server.close();
    await setup.close();
    log.info('ended');
    await serverLog.flush();
    process.exit(0);
  };
  const { config: file } = options;
  let watch: FileWatch | undefined;
  let last = server.listen();
  if (file !== undefined) process.on('SIGHUP', () => void reload(file).catch(onError));
  await last;
  stopOnSignal(stop);
  const { url, adminUrl } = server;
  if (setup.development !== undefined) {
    process.stderr.write(
      `${describeDevelopment({ ...setup.development, url, adminUrl })}\nready\n`,
    );
  }
  if (file !== undefined) {
    watch = await watchFile(resolved.files, () => reload(file), { onError });
  }
  // Last, so that every later change of the files is noticed.
  log.info({ url, adminUrl }, 'listening');

  function onError(error: Error): void {
    log.error({ err: error }, 'cannot use the new configuration; keeping the old one');
  }

  /** One reload at a time, so that the last one requested wins. */
  function reload(from: string): Promise<void> {
    const done = last.then(() => apply(from));
    last = done.catch(() => {});
    return done;
  }

  async function apply(from: string): Promise<void> {
    const next = withOptions(await reloadConfig(from, resolved.config), options);
    const restarts = await server.reload(next.config);
    log.info('reloaded the configuration');
    if (restarts.length > 0) log.warn({ settings: restarts }, 'these changes need a restart');
    const before = resolved.files.join('\n');
    resolved = next;
    if (next.files.join('\n') === before) return;
    // Not awaited: it may be waiting for this very call.
    void watch?.close();
    watch = await watchFile(next.files, () => reload(from), { onError });
  }
}

interface Setup {
  readonly resolved: ResolvedConfig;
  readonly development?: Omit<DevelopmentFacts, 'url' | 'adminUrl'>;
  close(): Promise<void>;
}

/** Reads the configuration, or creates one for a development server. */
async function openSetup(options: ServeOptions): Promise<Setup> {
  if (options.config !== undefined) {
    const resolved = await loadConfig(options.config);
    await checkParts(resolved.config);
    return { resolved: withOptions(resolved, options), close: async () => {} };
  }
  const { host, exposeDevelopment = false } = options;
  if (host !== undefined && !isLoopback(host) && !exposeDevelopment) {
    throw new Failure(
      `${host} is reachable from other machines, but this server uses development keys: use --config, or pass --expose-development.`,
      2,
    );
  }
  const data = resolve(options.data);
  const keys = await openDevelopmentKeys(data);
  const hello = await startHelloService();
  const resolved = await resolveConfig(developmentConfig(data, keys, hello.origin));
  const { tokenKey: key, keyPair } = keys;
  const claims = { env: DEVELOPMENT_ENV, subject: 'developer', seconds: TOKEN_SECONDS };
  const token = await mintToken({ ...claims, key });
  return {
    resolved: withOptions(resolved, options),
    development: { data, token, keyPair },
    close: () => hello.close(),
  };
}

interface ServeOptions {
  readonly config?: string;
  readonly port?: number;
  readonly adminPort?: number;
  readonly host?: string;
  readonly data: string;
  readonly logLevel?: Config['log']['level'];
  readonly exposeDevelopment?: boolean;
}

function withOptions(resolved: ResolvedConfig, options: ServeOptions): ResolvedConfig {
  const { port, adminPort, host, logLevel } = options;
  const { listen, admin, log } = resolved.config;
  const config = {
    ...resolved.config,
    listen: { ...listen, port: port ?? listen.port, host: host ?? listen.host },
    admin: { ...admin, port: adminPort ?? admin.port },
    log: { ...log, level: logLevel ?? log.level },
  };
  return { ...resolved, config };
}

/** Otherwise the server itself would take the port that it then reports as in use. */
function assertTwoPorts({ listen, admin }: Config): void {
  if (listen.port !== admin.port || listen.port === 0 || listen.host !== admin.host) return;
  throw new Failure(
    `The port and the admin port are both ${listen.port}: choose another one with --port or --admin-port.`,
    2,
  );
}

/**
 * Calls `stop` on the first SIGINT or SIGTERM. A later signal, other than the echo of the first, ends
 * the process.
 */
function stopOnSignal(stop: (signal: string) => void): void {
  let since: number | undefined;
  const onSignal = (signal: string) => {
    if (since === undefined) {
      since = performance.now();
      stop(signal);
    } else if (performance.now() - since > ECHO_MILLISECONDS) {
      process.exit(1);
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}
