import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { checkParts } from '../services/check-parts.ts';

/** What the command line says of a server. */
export interface ServeOptions {
  readonly config?: string;
  readonly port?: number;
  readonly adminPort?: number;
  readonly host?: string;
  readonly data: string;
  readonly logLevel?: Config['log']['level'];
  readonly exposeDevelopment?: boolean;
}

/** Puts what the command line says above what the configuration says. */
export function withOptions(
  config: Config,
  { port, adminPort, host, logLevel }: ServeOptions,
): Config {
  const { listen, admin, log } = config;
  return {
    ...config,
    listen: { ...listen, port: port ?? listen.port, host: host ?? listen.host },
    admin: { ...admin, port: adminPort ?? admin.port },
    log: { ...log, level: logLevel ?? log.level },
  };
}

/** Reads the configuration file of the command line. */
export async function readConfig(file: string, options: ServeOptions): Promise<ResolvedConfig> {
  const { config, files } = await loadConfig(file);
  await checkParts(config);
  return { config: withOptions(config, options), files: files.map((name) => resolve(name)) };
}
