import { createAuthenticator } from '../auth/create-authenticator.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { createCombinedRegistry } from '../gateway/registry/combined-registry.ts';
import { toAuthEnvironments } from '../services/to-auth-environments.ts';
import { toServiceConfigs } from '../services/to-service-configs.ts';
import { Failure } from './fail.ts';

/** Judges a configuration file as a start would, without opening the store or a port. */
export async function checkConfig(file: string): Promise<void> {
  try {
    const { config } = await loadConfig(file);
    await createCombinedRegistry(toServiceConfigs(config)).close();
    (await createAuthenticator({ environments: toAuthEnvironments(config) })).close();
    const names = Object.keys(config.environments);
    process.stdout.write(`${file} is good. Environments: ${names.join(', ')}.\n`);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof TypeError)) throw error;
    throw new Failure(error.message, 1);
  }
}
