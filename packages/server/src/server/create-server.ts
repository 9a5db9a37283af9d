import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DestinationStream } from 'pino';
import { type Config, secretsOf } from '../config/config.ts';
import type { ConfigInput } from '../config/config-schema.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { createLog, type ServerLog } from '../observe/create-log.ts';
import { createAdmin } from './create-admin.ts';
import { createCore } from './create-core.ts';
import { checkParts } from './create-services.ts';
import { toUrl } from './urls.ts';

export interface ServerOptions {
  /** Where to write log lines. Default: standard output. */
  readonly logTo?: DestinationStream;
}

/** A server for the gateway, the storage API, the upload target and links. */
export interface BerthServer {
  /** URL for callers, such as `http://127.0.0.1:4020`; throws before `listen`. */
  readonly url: string;
  /** URL for health checks and metrics; throws before `listen`. */
  readonly adminUrl: string;
  /** Starts accepting calls. Rejects as `net.Server` does, for example with `EADDRINUSE`. */
  listen(): Promise<void>;
  /**
   * Applies another configuration while the server is running: environments, credentials, services, quotas,
   * CORS, keys, limits and logging. Calls in flight finish with the old one.
   *
   * @returns settings that have changed and need a restart; they keep their values
   * @throws ConfigError for an invalid configuration; the old one then stays in use
   */
  reload(config: ConfigInput | Config): Promise<readonly string[]>;
  /**
   * Makes `/readyz` fail, accepts calls for another `listen.shutdownDelaySeconds`, gives calls in flight
   * `listen.shutdownSeconds` to finish, and then aborts them. WebSockets are closed with 1001.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server with the gateway, storage API, upload target and downloads on one port, and health checks
 * and metrics on another. Relative paths are relative to the working directory; use `loadConfig` for a file.
 *
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
  input: ConfigInput | Config,
  { logTo }: ServerOptions = {},
): Promise<BerthServer> {
  let last = await resolveConfig(input);
  const { config } = last;
  await checkParts(config);
  const log = createLog({
    level: config.log.level,
    secrets: secretsOf(config),
    destination: logTo,
  });
  const server = await createLoggedServer(config, log);
  return {
    get url() {
      return server.url;
    },
    get adminUrl() {
      return server.adminUrl;
    },
    listen: server.listen,
    async reload(next) {
      const resolved = await resolveConfig(next, undefined, last);
      const restarts = await server.take(resolved.config);
      last = resolved;
      return restarts;
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}

interface LoggedServer extends Omit<BerthServer, 'reload' | typeof Symbol.asyncDispose> {
  /** Same as `reload` of a server. */
  take(config: Config): Promise<readonly string[]>;
}

/** Creates a server that combines the core with the admin server. */
export async function createLoggedServer(config: Config, log: ServerLog): Promise<LoggedServer> {
  const core = await createCore(config, log);
  const admin = createAdmin({
    hosts: config.admin.hosts,
    unreadiness: core.unreadiness,
    metrics: async () => {
      const { registry } = core.metrics;
      return { type: registry.contentType, text: await registry.metrics() };
    },
  });
  return {
    get url() {
      return core.url;
    },
    get adminUrl() {
      return toAdminUrl(config, admin);
    },
    async listen() {
      await listenAdmin(config, admin);
      await core.listen().catch(async (error) => {
        await stopAdmin(admin);
        throw error;
      });
    },
    take: core.reload,
    async close() {
      // The core first, so that `/readyz` reports that the server is draining.
      await core.close();
      await stopAdmin(admin);
    },
  };
}

function toAdminUrl({ admin: { host } }: Config, admin: Server): string {
  return toUrl('http', host, (admin.address() as AddressInfo).port);
}

async function listenAdmin({ admin: { host, port } }: Config, admin: Server): Promise<void> {
  admin.listen(port, host);
  await once(admin, 'listening');
}

async function stopAdmin(admin: Server): Promise<void> {
  if (!admin.listening) return;
  const closed = once(admin, 'close');
  admin.close();
  admin.closeAllConnections();
  await closed;
}
