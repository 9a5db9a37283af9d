import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DestinationStream } from 'pino';
import { createApplication, openResources } from './application.ts';
import { type Config, readConfig } from './config/config.ts';
import type { ConfigInput } from './config/schema.ts';
import { createHttpServer, portOf, toUrl } from './http/http.ts';
import { createAdmin, type Phase } from './observe/admin.ts';
import { createLog, type Log } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';

export interface ServerOptions {
  /** Where to write log lines, such as `process.stdout`. Default: nowhere. */
  readonly logTo?: DestinationStream;
}

/** A server for the gateway, the storage API, the upload target and links. */
export interface BerthServer {
  /** URL for callers, such as `http://127.0.0.1:4020`; throws before `listen`. */
  readonly url: string;
  /** URL for health checks and metrics; undefined with `admin: false`. Throws before `listen`. */
  readonly adminUrl: string | undefined;
  /** The log, for lines about what this server is part of. */
  readonly log: Log;
  /** Starts accepting calls, once. If it rejects, as `net.Server` does (`EADDRINUSE`), the server is closed. */
  listen(): Promise<void>;
  /**
   * Applies another configuration while the server is running: environments, credentials, services, quotas, CORS, keys,
   * certificates, limits and logging. Of several calls, the last one wins. Calls in flight are not interrupted, and keep
   * their services, CORS headers, limits and key pairs. Token issuers and quotas that they have yet to use follow the new
   * configuration, as do grants and links of removed key pairs. Has no effect once the server is closing.
   *
   * @param config as for `createServer`
   * @returns settings that have changed and need a restart; they keep their values
   * @throws ConfigError for an invalid configuration; the old one then stays in use
   */
  reload(config: ConfigInput | string): Promise<readonly string[]>;
  /**
   * Makes `/readyz` fail, accepts calls for another `listen.shutdownDelaySeconds`, gives calls in flight
   * `listen.shutdownSeconds` to finish, and then aborts them. WebSockets are disconnected after the last call.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server with the gateway, storage API, upload target and links on one port, and health and metrics on another.
 *
 * @param input the settings, or the name of a file with them (YAML or JSON), in which `${NAME}` in a string refers to an
 *   environment variable. Relative paths are relative to the working directory, or to the folder of the file
 * @throws ConfigError with every error in the configuration
 * @throws StoreUnavailableError if the store cannot be used
 *
 * @example
 * const server = await createServer({
 *   store: { driver: 'file', root: './files' },
 *   keys: [{ secret: process.env.LINK_KEY }],
 *   environments: { dev: { services: { hello: { endpoints: ['http://127.0.0.1:9000'] } } } },
 * });
 * await server.listen();
 */
export async function createServer(
  input: ConfigInput | string,
  { logTo = { write() {} } }: ServerOptions = {},
): Promise<BerthServer> {
  let config = await readConfig(input);
  const log = createLog(config.log.level, logTo);
  let phase: Phase = 'starting';
  const metrics = createMetrics();
  const resources = await openResources(config, log, metrics);
  const { redis, blobs, inFlight, endpoints } = resources;
  const application = createApplication(config, resources, log, metrics);
  const http = createHttpServer(config.listen, application, () => phase === 'draining');
  const admin = config.admin ? createAdmin(resources, metrics, () => phase) : undefined;
  metrics.addGauge('berth_connections', 'Open connections from callers.', http.countConnections);
  metrics.addGauge('berth_calls_active', 'Calls in flight.', () => inFlight.calls);
  metrics.addGauge(
    'berth_service_calls_active',
    'Calls to services in flight.',
    endpoints.countActiveCalls,
  );
  let sweeps: NodeJS.Timeout | undefined;
  let lastReload: Promise<unknown> = Promise.resolve();
  let starting: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  async function listen(): Promise<void> {
    if (starting ?? closing) throw new Error('The server is already started or closed.');
    starting = start();
    await starting.catch(async (error) => {
      await close();
      throw error;
    });
  }

  async function start(): Promise<void> {
    if (admin && config.admin)
      await once(admin.listen(config.admin.port, config.admin.host), 'listening');
    await http.listen();
    phase = 'ready';
    sweeps = setInterval(sweep, SWEEP_INTERVAL_MILLISECONDS).unref();
    void blobs.check(true).then(sweep, reportStoreError);
    const { url, adminUrl } = server;
    log.info({ url, host: config.listen.host, adminUrl }, 'listening');
  }

  async function sweep(): Promise<void> {
    try {
      const removed = await blobs.sweep();
      if (removed > 0) log.info({ removed }, 'removed leftovers of failed uploads');
    } catch (error) {
      metrics.countStoreError(error);
      log.warn({ err: error }, 'cannot remove files left over from failed uploads');
    }
  }

  function reportStoreError(error: unknown): void {
    metrics.countStoreError(error);
    log.error({ err: error }, 'cannot use the store: files are unavailable');
  }

  /** One at a time, so that the last one requested wins. */
  function reload(input: ConfigInput | string): Promise<readonly string[]> {
    const reloaded = lastReload.then(() => apply(input));
    lastReload = reloaded.catch(() => {});
    return reloaded;
  }

  async function apply(input: ConfigInput | string): Promise<readonly string[]> {
    const { config: next, restarts } = findRestarts(config, await readConfig(input));
    if (closing !== undefined) return [];
    const application = createApplication(next, resources, log, metrics);
    // From here on, nothing can reject the configuration: it takes effect completely or not at all.
    config = next;
    resources.update(next);
    http.update(next.listen, application);
    return restarts;
  }

  function close(): Promise<void> {
    closing ??= drainAndClose();
    return closing;
  }

  async function drainAndClose(): Promise<void> {
    await starting?.catch(() => {});
    const wasReady = phase === 'ready';
    phase = 'draining';
    if (wasReady) await drain();
    clearInterval(sweeps);
    endpoints.close();
    redis?.close();
    const onError = (error: unknown) => log.warn({ err: error }, 'cannot release the store');
    await blobs.close().catch(onError);
    // Last, so that `/readyz` reports that the server is draining.
    if (!admin?.listening) return;
    admin.close();
    admin.closeAllConnections();
    await once(admin, 'close');
  }

  async function drain(): Promise<void> {
    const { shutdownDelaySeconds: delay, shutdownSeconds: seconds } = config.listen;
    if (delay > 0) {
      log.info({ seconds: delay }, 'not ready; still accepting calls');
      await wait(delay * 1000);
    }
    log.info({ calls: inFlight.calls, seconds }, 'draining');
    const aborted = await http.drain(seconds, inFlight);
    if (aborted === 0) return;
    log.warn({ calls: aborted }, 'aborted calls that did not finish before the shutdown deadline');
  }

  const server: BerthServer = {
    get url() {
      const { host, tls } = config.listen;
      return toUrl(tls === undefined ? 'http' : 'https', host, http.port);
    },
    get adminUrl() {
      if (!admin || !config.admin) return undefined;
      return toUrl('http', config.admin.host, portOf(admin));
    },
    log,
    listen,
    reload,
    close,
    [Symbol.asyncDispose]: close,
  };
  return server;
}

const SWEEP_INTERVAL_MILLISECONDS = 10 * 60_000;

/**
 * Settings that are only read when the server starts. A reload keeps their values, except for the certificate.
 *
 * | A change takes effect | Settings                                                             | Because of                  |
 * | --------------------- | -------------------------------------------------------------------- | --------------------------- |
 * | after a restart       | these                                                                | `findRestarts`              |
 * | for calls in flight   | `tokens`, `quota`, `log.level`, key pairs that grants and links need | `update` in `openResources` |
 * | for new calls         | all others                                                           | `createApplication`         |
 */
const FIXED = ['listen', 'admin', 'store', 'redis'] as const;

/** Finds changed settings that need a restart, and keeps their old values. */
function findRestarts(old: Config, next: Config) {
  const tls = old.listen.tls && next.listen.tls;
  const { listen: oldListen, admin, store, redis } = old;
  const fixed = { listen: tls ? { ...oldListen, tls } : oldListen, admin, store, redis };
  const restarts = FIXED.filter((name) => !isDeepStrictEqual(fixed[name], next[name]));
  return { config: { ...next, ...fixed }, restarts };
}
