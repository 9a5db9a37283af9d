import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { mintToken } from '../auth/bearer/mint-token.ts';
import { readDevelopmentKeys } from '../development/development-keys.ts';
import { Failure } from './fail.ts';

export interface TokenOptions {
  readonly data: string;
  readonly key?: string;
  readonly env: string;
  readonly subject: string;
  readonly issuer?: string;
  readonly seconds: number;
}

/** Prints an access token, and nothing else. */
export async function token({ data, key: file, ...request }: TokenOptions): Promise<void> {
  const key = file === undefined ? await readDevelopmentKey(data) : await readKey(file);
  const minted = await mintToken({ ...request, key }).catch((error: Error) => {
    throw new Failure(`${file ?? data} mints no token: ${error.message}`, 2);
  });
  process.stdout.write(`${minted}\n`);
}

async function readDevelopmentKey(data: string): Promise<JWK> {
  const keys = await readDevelopmentKeys(data);
  if (keys !== undefined) return keys.tokenKey;
  throw new Failure(
    `${data} is no folder of a development server: start one there, or name a key with --key.`,
    2,
  );
}

async function readKey(file: string): Promise<JWK> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`${file} cannot be read: ${error.message}.`, 2);
  });
  const key = parse(file, text);
  if (typeof key === 'object' && key !== null) return key;
  throw new Failure(`${file} mints no token: a private key is a JWK.`, 2);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`${file} is no JSON: a private key is a JWK.`, 2);
  }
}
