import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { mintToken, type TokenRequest } from '../auth/tokens.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { connectRedis, type Revocable } from '../redis.ts';
import { checkParts } from '../state.ts';
import { diskCodeOf } from '../store/disk-error.ts';
import { checkFileStore } from '../store/fsck.ts';
import { readTls } from '../tls.ts';
import { readDevelopmentKeys } from './development.ts';
import { Failure } from './failure.ts';

/** Validates a configuration file as on startup, without opening the store or a port. */
export async function checkConfig(file: string): Promise<void> {
  try {
    const config = await loadConfig(file);
    await checkParts(config);
    if (config.listen.tls !== undefined) await readTls(config.listen.tls);
    const names = Object.keys(config.environments);
    process.stdout.write(`${file} is valid. Environments: ${names.join(', ')}.\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Failure(error.message, 1);
  }
}

export interface FsckOptions {
  readonly config?: string;
  readonly data: string;
  readonly repair?: boolean;
}

export async function fsck(given: string | undefined, options: FsckOptions): Promise<void> {
  const { config: file, data, repair = false } = options;
  const store = given === undefined && file ? (await loadConfig(file)).store : undefined;
  if (store !== undefined && store.driver !== 'file') return checkBucket(store, repair);
  const root = given ?? store?.root ?? join(data, 'files');
  const { files, bytes, problems } = await checkFileStore(root, {
    repair,
    onProblem: ({ kind, path, detail }) => process.stdout.write(`${kind}: ${path}: ${detail}\n`),
  }).catch((error: Error) => {
    const isNone = ['ENOENT', 'ENOTDIR'].includes(diskCodeOf(error.cause) ?? '');
    const why = isNone ? 'it does not exist; pass the store.root folder.' : error.message;
    throw new Failure(`Cannot read ${root} as a store: ${why}`, 2);
  });
  process.stdout.write(`${files} files, ${bytes} bytes, ${problems} problems.\n`);
  if (problems > 0 && !repair)
    throw new Failure(`${root} has problems: run again with --repair.`, 1);
}

async function checkBucket(config: Exclude<Config['store'], { driver: 'file' }>, repair: boolean) {
  if (repair) throw new Failure('--repair only works for stores on disk.', 2);
  const { createS3BlobStore } = await import('../store/s3.ts');
  const store = createS3BlobStore(config);
  const counts = { files: 0, bytes: 0, problems: 0, unverified: 0 };
  try {
    for await (const { name, check } of store.scan()) {
      const { bytes, damage, isUnverified } = (await check()) ?? {};
      if (bytes === undefined) continue;
      counts.files += 1;
      counts.bytes += bytes;
      if (isUnverified) counts.unverified += 1;
      if (damage === undefined) continue;
      counts.problems += 1;
      process.stdout.write(`damaged: ${name}: ${damage}\n`);
    }
  } catch (error) {
    throw new Failure(`Cannot read the bucket ${config.bucket}: ${(error as Error).message}`, 2);
  } finally {
    await store.close();
  }
  const { files, bytes, problems, unverified } = counts;
  const rest = unverified > 0 ? `, ${unverified} files without a checksum` : '';
  process.stdout.write(`${files} files, ${bytes} bytes, ${problems} problems${rest}.\n`);
  if (problems > 0) throw new Failure(`${config.bucket} has damaged files: restore them.`, 1);
}

export async function revoke(
  kind: Revocable,
  given: string,
  { config: file, undo = false }: { readonly config?: string; readonly undo?: boolean },
): Promise<void> {
  if (file === undefined) throw new Failure('Pass the configuration of the server: --config.', 2);
  const config = await loadConfig(file);
  if (config.redis === undefined) {
    const advice = 'to revoke a key pair without Redis, remove it from the configuration.';
    throw new Failure(`${file} has no redis.url, so replicas share no revocations: ${advice}`, 2);
  }
  const { name, seconds } = toRevocation(kind, given, config);
  const shared = await connectRedis(config.redis);
  try {
    if (!undo) {
      await shared.revoke(kind, name, seconds);
      process.stdout.write(`Revoked the ${kind}.\n`);
    } else if (await shared.restore(kind, name)) {
      process.stdout.write(`Restored the ${kind}.\n`);
    } else {
      throw new Failure(`The ${kind} was not revoked.`, 1);
    }
  } finally {
    shared.close();
  }
}

function toRevocation(
  kind: Revocable,
  given: string,
  config: Config,
): { name: string; seconds?: number } {
  switch (kind) {
    case 'key-pair':
      if (Object.keys(config.environments).some((env) => given.startsWith(`${env}/`)))
        return { name: given };
      throw new Failure('Write a key pair as environment and ID, such as dev/ci.', 2);
    case 'grant':
      return { name: given, seconds: config.limits.grantSeconds };
    case 'link': {
      const query = URL.canParse(given) ? new URL(given).searchParams : new URLSearchParams();
      const seconds = (Number(query.get('expires') ?? Number.NaN) - Date.now()) / 1000;
      const name = query.get('sign');
      if (name !== null && seconds > 0) return { name, seconds };
      throw new Failure('Pass the URL of a link that has not expired.', 2);
    }
  }
}

interface TokenOptions extends Omit<TokenRequest, 'key'> {
  readonly data: string;
  readonly key?: string;
}

export async function token({ data, key: file, ...request }: TokenOptions): Promise<void> {
  const key = file === undefined ? await readDevelopmentKey(data) : await readKey(file);
  const minted = await mintToken({ ...request, key }).catch((error: Error) => {
    throw new Failure(`Cannot mint a token with ${file ?? data}: ${error.message}`, 2);
  });
  process.stdout.write(`${minted}\n`);
}

async function readDevelopmentKey(data: string): Promise<JWK> {
  const keys = await readDevelopmentKeys(data);
  if (keys !== undefined) return keys.tokenKey;
  throw new Failure(
    `${data} is not the data folder of a development server: start one there, or pass a key with --key.`,
    2,
  );
}

async function readKey(file: string): Promise<JWK> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`Cannot read ${file}: ${error.message}.`, 2);
  });
  try {
    const key: unknown = JSON.parse(text);
    if (typeof key === 'object' && key !== null) return key;
  } catch {
    throw new Failure(`${file} must contain a private key as a JWK, but it is not valid JSON.`, 2);
  }
  throw new Failure(`${file} must contain a private key as a JWK.`, 2);
}
