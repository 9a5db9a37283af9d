import { readFile } from 'node:fs/promises';
import type { TokenTrust } from '../auth-environment.ts';
import { createRemoteKeys } from './create-remote-keys.ts';
import { createStaticKeys } from './create-static-keys.ts';
import type { KeySource } from './key-source.ts';

const URL_LIKE = /^https?:/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether the keys are served by a URL. */
export function isRemote(jwks: TokenTrust['jwks']): jwks is string {
  return typeof jwks === 'string' && URL_LIKE.test(jwks);
}

/** @throws TypeError for keys that cannot be used, an Error of the file system for a file that cannot be read */
export async function createKeySource(
  jwks: TokenTrust['jwks'],
  settings: Parameters<typeof createRemoteKeys>[1],
): Promise<KeySource> {
  if (typeof jwks !== 'string') return createStaticKeys(jwks);
  if (isRemote(jwks)) return createRemoteKeys(toUrl(jwks), settings);
  const text = await readFile(jwks, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new TypeError(`The key set ${jwks} is no JSON.`);
  }
  return createStaticKeys(json);
}

function toUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== 'https:' && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      'The URL of a key set must be https: whoever changes its answer can log in.',
    );
  }
  return url;
}
