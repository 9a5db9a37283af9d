import { createCors } from '@berth/server-stubs';
import { createAuthenticator } from '../auth/create-authenticator.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { createCombinedRegistry } from '../gateway/registry/combined-registry.ts';
import { toAuthEnvironments } from './to-auth-environments.ts';
import { toDnsOptions } from './to-dns-options.ts';
import { toServiceConfigs } from './to-service-configs.ts';

/**
 * Judges of a configuration what only the parts of the server can judge, such as a key set without a
 * key. Nothing is opened and nobody is asked.
 *
 * @throws ConfigError
 */
export async function checkParts(config: Config): Promise<void> {
  try {
    createCors('gateway', config.wireProfile, config.cors);
    await createCombinedRegistry(toServiceConfigs(config), toDnsOptions(config)).close();
    (await createAuthenticator({ environments: toAuthEnvironments(config) })).close();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError([{ path: [], problem: error.message.replace(/\.$/, '') }]);
  }
}
