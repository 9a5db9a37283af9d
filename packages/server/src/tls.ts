import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { type Config, ConfigError } from './config/config.ts';

type Files = NonNullable<Config['listen']['tls']>;

/**
 * Reads a certificate and its key.
 * @throws ConfigError if a file cannot be read, or does not contain a certificate or a key
 */
export async function readTls(files: Files): Promise<{ cert: Buffer; key: Buffer }> {
  // One after the other, so that if neither can be read, the error is always about the certificate.
  const cert = await read('cert', files);
  const key = await read('key', files);
  assertUsable({ cert }, ['cert'], 'must be the path of a PEM file with a certificate');
  const noPassword = 'must be the path of a PEM file with a private key that has no password';
  assertUsable({ key }, ['key'], noPassword);
  assertUsable({ cert, key }, [], 'must contain a certificate and its private key');
  return { cert, key };
}

async function read(name: keyof Files, files: Files): Promise<Buffer> {
  return readFile(files[name]).catch((error: Error) =>
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

/**
 * Reads the certificate of a server again. Returns a function that applies it.
 * @throws ConfigError
 */
export async function prepareTls(server: Server, files: Files): Promise<() => void> {
  const pair = await readTls(files);
  return () => (server as TlsServer).setSecureContext({ ...pair, minVersion: 'TLSv1.2' });
}
