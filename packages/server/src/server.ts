import type { DestinationStream } from 'pino';
import { type Config, secretsOf } from './config/config.ts';
import { resolveConfig } from './config/load.ts';
import type { ConfigInput } from './config/schema.ts';
import { createCore } from './core.ts';
import { createLog } from './log.ts';
import { checkParts } from './state.ts';

export interface ServerOptions {
  /** Where to write log lines. Default: standard output. */
  readonly logTo?: DestinationStream;
}

/** A server for the gateway, the storage API, the upload target and links. */
export interface BerthServer {
  /** URL for callers, such as `http://127.0.0.1:4020`; throws before `listen`. */
  readonly url: string;
  /** URL for health checks and metrics; undefined with `admin: false`. Throws before `listen`. */
  readonly adminUrl: string | undefined;
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
  const config = await resolveConfig(input);
  await checkParts(config);
  const { level } = config.log;
  const log = createLog({ level, secrets: secretsOf(config), destination: logTo });
  const core = await createCore(config, log);
  return {
    get url() {
      return core.url;
    },
    get adminUrl() {
      return core.adminUrl;
    },
    listen: core.listen,
    reload: async (next) => core.reload(await resolveConfig(next)),
    close: core.close,
    [Symbol.asyncDispose]: core.close,
  };
}
