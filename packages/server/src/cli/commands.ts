import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { mintToken, type TokenRequest } from '../auth/tokens.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { connectRedis, type Revocable } from '../redis.ts';
import { diskCodeOf } from '../store/disk-files.ts';
import { fsck as checkFiles } from '../store/fsck.ts';
import { readDevelopmentKeys } from './development.ts';
import { Failure } from './failure.ts';

interface FsckOptions {
  readonly config?: string;
  readonly data: string;
  readonly repair?: boolean;
}

export async function fsck(folder: string | undefined, options: FsckOptions): Promise<void> {
  const { config, data, repair = false } = options;
  const root = folder ?? (config ? await toStoreRoot(config) : join(data, 'files'));
  const { files, bytes, problems } = await checkFiles(root, {
    repair,
    onProblem: ({ kind, path, detail }) => process.stdout.write(`${kind}: ${path}: ${detail}\n`),
  }).catch((error: Error) => {
    if (!['ENOENT', 'ENOTDIR'].includes(diskCodeOf(error.cause) ?? '')) throw error;
    throw new Failure(`${root} is not a folder: pass store.root.`, 2);
  });
  process.stdout.write(`${files} files, ${bytes} bytes, ${problems} problems.\n`);
  if (problems === 0 || repair) return;
  throw new Failure(`${root} has damaged files: run again with --repair.`, 1);
}

async function toStoreRoot(file: string): Promise<string> {
  const { store } = await loadConfig(file);
  if (store.driver === 'file') return store.root;
  throw new Failure(`The store in ${file} is not on disk: the object store checks its files.`, 2);
}

export async function revoke(
  kind: Revocable,
  subject: string,
  { config: file, undo = false }: { readonly config?: string; readonly undo?: boolean },
): Promise<void> {
  if (file === undefined) throw new Failure('Pass the configuration of the server: --config.', 2);
  const config = await loadConfig(file);
  if (config.redis === undefined) {
    const advice = 'to revoke a key pair without Redis, remove it from the configuration.';
    throw new Failure(
      `${file} has no redis.url, so its processes share no revocations: ${advice}`,
      2,
    );
  }
  const { name, seconds } = toRevocation(kind, subject, config);
  const redis = await connectRedis(config.redis);
  try {
    if (!undo) {
      await redis.revoke(kind, name, seconds);
      process.stdout.write(`Revoked the ${kind}.\n`);
    } else if (await redis.restore(kind, name)) {
      process.stdout.write(`Restored the ${kind}.\n`);
    } else {
      throw new Failure(`The ${kind} was not revoked.`, 1);
    }
  } finally {
    redis.close();
  }
}

function toRevocation(
  kind: Revocable,
  subject: string,
  config: Config,
): { name: string; seconds?: number } {
  switch (kind) {
    case 'key-pair':
      if (Object.keys(config.environments).some((env) => subject.startsWith(`${env}/`)))
        return { name: subject };
      throw new Failure('Write a key pair as environment and ID, such as dev/ci.', 2);
    case 'grant':
      return { name: subject, seconds: config.limits.grantSeconds };
    case 'link': {
      const query = URL.parse(subject)?.searchParams ?? new URLSearchParams();
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
  const key =
    file === undefined ? (await readDevelopmentKeys(data))?.tokenKey : await readKey(file);
  if (key === undefined) {
    throw new Failure(
      `${data} is not the data folder of a development server: start one there, or pass a key with --key.`,
      2,
    );
  }
  const minted = await mintToken({ ...request, key }).catch((error: Error) => {
    throw new Failure(`Cannot mint a token with ${file ?? data}: ${error.message}`, 2);
  });
  process.stdout.write(`${minted}\n`);
}

async function readKey(file: string): Promise<JWK> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`Cannot read ${file}: ${error.message}.`, 2);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`${file} must contain a private key as a JWK, but it is not valid JSON.`, 2);
  }
}
