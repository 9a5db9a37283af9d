import type { DestinationStream } from 'pino';
import type { Config } from './config/config.ts';
import type { ConfigInput } from './config/config-schema.ts';
import { resolveConfig } from './config/resolve-config.ts';
import { createLoggedServer } from './create-logged-server.ts';
import { createLog } from './log/create-log.ts';
import { secretsOf } from './log/secrets-of.ts';
import { checkParts } from './services/check-parts.ts';

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
   * @throws ConfigError for a bad one; the old one then stays
   */
  reload(config: ConfigInput | Config): Promise<readonly string[]>;
  /** Takes no new calls, lets those under way end for `listen.shutdownSeconds`, and then cuts them. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a server: gateway, storage API, upload target and downloads on one port, health and metrics on
 * another. Relative paths begin at the working directory; use `loadConfig` for a file.
 *
 * @throws ConfigError with every fault of the configuration
 * @throws StoreUnavailableError where the store cannot be used
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
  const { config } = await resolveConfig(input);
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
      return server.take((await resolveConfig(next)).config);
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}
