import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JSONWebKeySet, JWK } from 'jose';
import { createDevKeys } from '../auth/bearer/create-dev-keys.ts';
import { makeFolder } from '../blobs/file/make-folder.ts';

/** Secrets of a server that was started without a configuration. */
export interface DevelopmentKeys {
  /** Mints tokens. */
  readonly tokenKey: JWK;
  /** Verifies them. */
  readonly jwks: JSONWebKeySet;
  /** Signs grants and links. */
  readonly linkKey: string;
  /** Signs calls. */
  readonly keyPair: { readonly id: string; readonly secret: string };
}

/** Where the keys of a data folder are. */
export function developmentKeysFile(data: string): string {
  return join(data, 'development-keys.json');
}

/**
 * Reads the development keys of a data folder, and makes them where there are none: what was signed
 * before a restart stays valid. Nobody but the owner may read the file.
 */
export async function openDevelopmentKeys(data: string): Promise<DevelopmentKeys> {
  const file = developmentKeysFile(data);
  await makeFolder(data);
  const read = async (): Promise<DevelopmentKeys> => JSON.parse(await readFile(file, 'utf8'));
  const known = await read().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (known !== undefined) return known;
  const { privateKey, jwks } = await createDevKeys();
  const keys: DevelopmentKeys = {
    tokenKey: privateKey,
    jwks,
    linkKey: randomBytes(32).toString('base64url'),
    keyPair: {
      id: `dev-${randomBytes(8).toString('hex')}`,
      secret: randomBytes(24).toString('base64url'),
    },
  };
  const text = `${JSON.stringify(keys, null, 2)}\n`;
  // Of two servers that start at once, the first one's keys are those of both.
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return read();
}
