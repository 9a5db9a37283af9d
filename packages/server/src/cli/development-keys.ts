import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createDevKeys } from '../auth/mint-token.ts';
import { makeFolder } from '../blobs/file/layout.ts';
import { ConfigError } from '../config/config.ts';
import type { ConfigInput } from '../config/config-schema.ts';

/** The keys for tokens (private and public), for grants and links, and for calls. */
const keysSchema = z.object({
  tokenKey: z.looseObject({ kty: z.string(), alg: z.string() }),
  jwks: z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }),
  linkKey: z.string(),
  keyPair: z.object({ id: z.string(), secret: z.string() }),
});

export const DEVELOPMENT_ENV = 'dev';

type DevelopmentKeys = z.infer<typeof keysSchema>;

/**
 * Reads the development keys in a data folder. Returns `undefined` if the folder has none.
 * @throws ConfigError if the file contains something else
 */
export async function readDevelopmentKeys(data: string): Promise<DevelopmentKeys | undefined> {
  const file = toFile(data);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text === undefined) return undefined;
  try {
    return keysSchema.parse(JSON.parse(text));
  } catch {
    const problem = `${file} does not contain the keys of a development server: remove it, and the server will create new ones`;
    throw new ConfigError([{ path: [], problem }]);
  }
}

/**
 * Reads the development keys in a data folder, or creates them if there are none. Tokens and links that were
 * signed before a restart therefore stay valid. Only the owner may read the file.
 */
export async function openDevelopmentKeys(data: string): Promise<DevelopmentKeys> {
  await makeFolder(data);
  const known = await readDevelopmentKeys(data);
  if (known !== undefined) return known;
  const { privateKey, jwks } = await createDevKeys();
  const keys = {
    tokenKey: privateKey,
    jwks,
    linkKey: randomBytes(32).toString('base64url'),
    keyPair: {
      id: `dev-${randomBytes(8).toString('hex')}`,
      secret: randomBytes(24).toString('base64url'),
    },
  };
  const file = toFile(data);
  const whole = `${file}.${randomUUID()}`;
  await writeFile(whole, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  // link(2) is atomic: servers that start simultaneously all use the first one's keys, and none reads a
  // partial file.
  await link(whole, file)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    })
    .finally(() => rm(whole));
  return openDevelopmentKeys(data);
}

export function developmentConfig(
  data: string,
  { jwks, linkKey, keyPair }: DevelopmentKeys,
  helloOrigin: string,
): ConfigInput {
  return {
    store: { driver: 'file', root: join(data, 'files') },
    keys: [{ secret: linkKey }],
    environments: {
      [DEVELOPMENT_ENV]: {
        tokens: { jwks },
        credentials: [keyPair],
        services: { hello: { endpoints: [helloOrigin] } },
      },
    },
  };
}

function toFile(data: string): string {
  return join(data, 'development-keys.json');
}
