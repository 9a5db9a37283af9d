import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { mintToken } from '../auth/bearer/mint-token.ts';
import { type DevelopmentKeys, developmentKeysFile } from '../development/development-keys.ts';
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
  process.stdout.write(`${await mintToken({ ...request, key })}\n`);
}

async function readDevelopmentKey(data: string): Promise<JWK> {
  try {
    const text = await readFile(developmentKeysFile(data), 'utf8');
    return (JSON.parse(text) as DevelopmentKeys).tokenKey;
  } catch {
    throw new Failure(
      `${data} is no folder of a development server: start one there, or name a key with --key.`,
      2,
    );
  }
}

async function readKey(file: string): Promise<JWK> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`${file} is no JSON: a private key is a JWK.`, 2);
  }
}
