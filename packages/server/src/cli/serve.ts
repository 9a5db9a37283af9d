import type { Config } from '../config/config.ts';
import { type FileWatch, watchFile } from '../config/watch-file.ts';
import { createLoggedServer } from '../create-logged-server.ts';
import { createLog } from '../log/create-log.ts';
import { secretsOf } from '../log/secrets-of.ts';
import { describeDevelopment } from './describe-development.ts';
import { Failure } from './fail.ts';
import { readConfig, type ServeOptions } from './serve-options.ts';
import { openSetup } from './setup.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** Serves until SIGINT or SIGTERM; a second one ends at once. SIGHUP reads the configuration anew. */
export async function serve(options: ServeOptions): Promise<void> {
  const setup = await openSetup(options);
  const { config } = setup;
  assertTwoPorts(config);
  const serverLog = createLog({ level: config.log.level, secrets: secretsOf(config) });
  const { log } = serverLog;
  const server = await createLoggedServer(config, serverLog);
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
  let { files } = setup;
  let watch: FileWatch | undefined;
  let last = server.listen();
  if (file !== undefined) process.on('SIGHUP', () => void reload(file).catch(onError));
  await last;
  stopOnSignal(stop);
  log.info({ url: server.url, adminUrl: server.adminUrl }, 'listening');
  if (setup.development !== undefined) {
    const { url, adminUrl } = server;
    process.stderr.write(
      `${describeDevelopment({ ...setup.development, url, adminUrl })}\nready\n`,
    );
  }
  if (file !== undefined) watch = await watchFile(files, () => reload(file), { onError });

  function onError(error: Error): void {
    log.error({ err: error }, 'the configuration cannot be used; the old one stays');
  }

  /** One after the other, so that the last one asked for is the one that stays. */
  function reload(from: string): Promise<void> {
    const done = last.then(() => takeOver(from));
    last = done.catch(() => {});
    return done;
  }

  async function takeOver(from: string): Promise<void> {
    const next = await readConfig(from, options);
    const restarts = await server.take(next.config);
    log.info('took over a new configuration');
    if (restarts.length > 0) log.warn({ settings: restarts }, 'these changes need a restart');
    if (next.files.join('\n') === files.join('\n')) return;
    files = next.files;
    // Not awaited: it may wait for this very call.
    void watch?.close();
    watch = await watchFile(files, () => reload(from), { onError });
  }
}

/** Else the server itself would hold the port that it finds in use. */
function assertTwoPorts({ listen, admin }: Config): void {
  if (listen.port !== admin.port || listen.port === 0 || listen.host !== admin.host) return;
  throw new Failure(
    `Callers and admin have one port, ${listen.port}: choose another one with --port or --admin-port.`,
    2,
  );
}
