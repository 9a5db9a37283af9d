import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DestinationStream } from 'pino';
import { createAdmin } from './admin/create-admin.ts';
import type { ConfigInput } from './config/config-schema.ts';
import { resolveConfig } from './config/resolve-config.ts';
import { createCore } from './core/create-core.ts';
import { toUrl } from './http/to-url.ts';
import { createLog } from './log/create-log.ts';
import { secretsOf } from './log/secrets-of.ts';

export interface ServerOptions {
  /** Where the lines of the log go. Default: standard output. */
  readonly logTo?: DestinationStream;
}

/** A server of the whole contract. */
export interface BerthServer {
  /** Address of callers, such as `http://127.0.0.1:4020`; throws before `listen`. */
  readonly url: string;
  /** Address of health and metrics; throws before `listen`. */
  readonly adminUrl: string;
  /** Begins to take calls. Rejects as `net.Server` does, for example with `EADDRINUSE`. */
  listen(): Promise<void>;
  /**
   * Takes over another configuration while it runs: environments, credentials, services, quotas, CORS,
   * keys, limits and logging. Calls under way end as they began.
   *
   * @returns settings that have changed and need a restart; they stay as they were
   * @throws ConfigError or TypeError for a bad one; the old one then stays
   */
  reload(config: ConfigInput): Promise<readonly string[]>;
  /** Takes no new calls, lets those under way end for `listen.shutdownSeconds`, and then cuts them. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a server: gateway, storage API, upload target and downloads on one port, health and metrics on
 * another. Relative paths begin at the working directory; use `loadConfig` for a file.
 *
 * @throws ConfigError with every fault of the configuration
 * @throws TypeError for what only its parts can judge, such as a key set that holds no key
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
  input: ConfigInput,
  { logTo }: ServerOptions = {},
): Promise<BerthServer> {
  const { config } = await resolveConfig(input);
  const log = createLog({
    level: config.log.level,
    secrets: secretsOf(config),
    destination: logTo,
  });
  const core = await createCore(config, log, 1);
  const admin = createAdmin({
    hosts: config.admin.hosts,
    unreadiness: core.unreadiness,
    metrics: async () => {
      const { registry } = core.metrics;
      return { type: registry.contentType, text: await registry.metrics() };
    },
  });

  async function close(): Promise<void> {
    // Last, so that whoever asks hears that the server is draining.
    await core.close();
    await stop(admin);
  }

  return {
    get url() {
      return core.url;
    },
    get adminUrl() {
      return toUrl('http', config.admin.host, (admin.address() as AddressInfo).port);
    },
    async listen() {
      admin.listen(config.admin.port, config.admin.host);
      await once(admin, 'listening');
      await core.listen().catch(async (error) => {
        await stop(admin);
        throw error;
      });
    },
    async reload(next) {
      return core.reload((await resolveConfig(next)).config);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
