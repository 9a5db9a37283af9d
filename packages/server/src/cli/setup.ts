import { resolve } from 'node:path';
import { mintToken } from '../auth/bearer/mint-token.ts';
import type { Config } from '../config/config.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { DEVELOPMENT_ENV, developmentConfig } from '../development/development-config.ts';
import { openDevelopmentKeys } from '../development/development-keys.ts';
import { startHelloService } from '../development/hello-service.ts';
import { isLoopback } from '../http/is-loopback.ts';
import { Failure } from './fail.ts';
import { readConfig, type ServeOptions, withOptions } from './serve-options.ts';

const TOKEN_SECONDS = 86_400;

/** What a server is started with. */
export interface Setup {
  readonly config: Config;
  /** Files that the configuration was read from. */
  readonly files: readonly string[];
  /** Present where there is no configuration. */
  readonly development?: {
    readonly data: string;
    readonly token: string;
    readonly keyPair: { readonly id: string; readonly secret: string };
  };
  close(): Promise<void>;
}

/**
 * Reads the configuration, or makes that of a development server.
 *
 * @throws ConfigError for a bad configuration
 * @throws Failure for a development server that others could reach
 */
export async function openSetup(options: ServeOptions): Promise<Setup> {
  if (options.config !== undefined) {
    return { ...(await readConfig(options.config, options)), close: async () => {} };
  }
  const { host, exposeDevelopment = false } = options;
  if (host !== undefined && !isLoopback(host) && !exposeDevelopment) {
    throw new Failure(
      `${host} can be reached by others, and this server has development keys: use --config, or say --expose-development.`,
      2,
    );
  }
  const data = resolve(options.data);
  const keys = await openDevelopmentKeys(data);
  const hello = await startHelloService();
  const { config } = await resolveConfig(developmentConfig(data, keys, hello.origin));
  const { tokenKey: key, keyPair } = keys;
  const token = await mintToken({
    env: DEVELOPMENT_ENV,
    key,
    subject: 'developer',
    seconds: TOKEN_SECONDS,
  });
  return {
    config: withOptions(config, options),
    files: [],
    development: { data, token, keyPair },
    close: () => hello.close(),
  };
}
