import { join } from 'node:path';
import type { ConfigInput } from '../config/config-schema.ts';
import type { DevelopmentKeys } from './development-keys.ts';

/** The environment of a server without a configuration. */
export const DEVELOPMENT_ENV = 'dev';

/** What a server runs on that was started without a configuration. */
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
        tokens: { jwks: { keys: jwks.keys.map((key) => ({ ...key })) } },
        credentials: [keyPair],
        services: { hello: { endpoints: [helloOrigin] } },
      },
    },
  };
}
