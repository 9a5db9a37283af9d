import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { readTls } from '../http/read-tls.ts';
import { checkParts } from '../services/check-parts.ts';
import { Failure } from './fail.ts';

/** Judges a configuration file as a start would, without opening the store or a port. */
export async function checkConfig(file: string): Promise<void> {
  try {
    const { config } = await loadConfig(file);
    await checkParts(config);
    if (config.listen.tls !== undefined) await readTls(config.listen.tls);
    const names = Object.keys(config.environments);
    process.stdout.write(`${file} is good. Environments: ${names.join(', ')}.\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Failure(error.message, 1);
  }
}
