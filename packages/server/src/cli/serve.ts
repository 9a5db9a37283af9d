import { resolve } from 'node:path';
import { isLoopback } from '@berth/server-stubs/contract';

import { mintToken } from '../auth/mint-token.ts';
import { type Config, secretsOf } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { createCore } from '../core.ts';
import { createLog } from '../log.ts';
import { checkParts } from '../state.ts';
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
  const { config, development, close } = await openSetup(options);
  assertTwoPorts(config);
  const serverLog = createLog({ level: config.log.level, secrets: secretsOf(config) });
  const { log } = serverLog;
  const server = await createCore(config, serverLog);
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'failed'));
  const stop = async (signal: string) => {
    log.info({ signal }, 'shutting down');
    await server.close();
    await close();
    log.info('ended');
    await serverLog.flush();
    process.exit(0);
  };
  let last = server.listen();
  const { config: file } = options;
  if (file !== undefined) {
    // One reload at a time, so that the last one requested wins.
    process.on('SIGHUP', () => {
      last = last.then(() => reload(file)).catch(onReloadError);
    });
  }
  await last;
  stopOnSignal(stop);
  const { url, adminUrl } = server;
  if (development !== undefined) {
    process.stderr.write(`${describeDevelopment({ ...development, url, adminUrl })}\nready\n`);
  }
  log.info({ url, adminUrl }, 'listening');

  async function reload(from: string): Promise<void> {
    const restarts = await server.reload(withOptions(await loadConfig(from), options));
    log.info('reloaded the configuration');
    if (restarts.length > 0) log.warn({ settings: restarts }, 'these changes need a restart');
  }

  function onReloadError(error: Error): void {
    log.error({ err: error }, 'cannot use the new configuration; keeping the old one');
  }
}

interface Setup {
  readonly config: Config;
  readonly development?: Omit<DevelopmentFacts, 'url' | 'adminUrl'>;
  close(): Promise<void>;
}

/** Reads the configuration, or creates one for a development server. */
async function openSetup(options: ServeOptions): Promise<Setup> {
  if (options.config !== undefined) {
    const config = await loadConfig(options.config);
    await checkParts(config);
    return { config: withOptions(config, options), close: async () => {} };
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
  const config = await resolveConfig(developmentConfig(data, keys, hello.origin));
  const { tokenKey: key, keyPair } = keys;
  const claims = { env: DEVELOPMENT_ENV, subject: 'developer', seconds: TOKEN_SECONDS };
  const token = await mintToken({ ...claims, key });
  return {
    config: withOptions(config, options),
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

function withOptions(config: Config, options: ServeOptions): Config {
  const { listen, admin, log } = config;
  const { port = listen.port, adminPort = admin.port, host = listen.host } = options;
  return {
    ...config,
    listen: { ...listen, port, host },
    admin: { ...admin, port: adminPort },
    log: { ...log, level: options.logLevel ?? log.level },
  };
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
