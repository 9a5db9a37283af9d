import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { createCors } from '@berth/server-stubs/contract';
import { createAuthenticator } from './auth/authenticator.ts';
import { type Config, ConfigError } from './config/config.ts';
import { createServices } from './gateway/services.ts';

type Files = NonNullable<Config['listen']['tls']>;

/**
 * Reads a certificate and its key.
 * @throws ConfigError if a file cannot be read, or does not contain a certificate or a key
 */
export async function readTls(files: Files): Promise<{ cert: string; key: string }> {
  // One after the other, so that if neither can be read, the error is always about the certificate.
  const cert = await read('cert', files);
  const key = await read('key', files);
  assertUsable({ cert }, ['cert'], 'must be the path of a PEM file with a certificate');
  const noPassword = 'must be the path of a PEM file with a private key that has no password';
  assertUsable({ key }, ['key'], noPassword);
  assertUsable({ cert, key }, [], 'must contain a certificate and its private key');
  return { cert, key };
}

async function read(name: keyof Files, files: Files): Promise<string> {
  return readFile(files[name], 'utf8').catch((error: Error) =>
    fail([name], `cannot be read: ${error.message}`),
  );
}

function assertUsable(options: SecureContextOptions, path: (keyof Files)[], problem: string) {
  try {
    createSecureContext(options);
  } catch {
    fail(path, problem);
  }
}

function fail(path: readonly (keyof Files)[], problem: string): never {
  throw new ConfigError([{ path: ['listen', 'tls', ...path], problem }]);
}

/** Replaced by the checks of the configuration. */
export async function checkParts(config: Config): Promise<Config> {
  try {
    createCors('gateway', config.wireProfile, config.cors);
    createServices(config.environments);
    createAuthenticator(config).close();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError([{ path: [], problem: error.message.replace(/\.$/, '') }]);
  }
  return config;
}
