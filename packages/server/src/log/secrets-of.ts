import type { Config } from '../config/config.ts';

/** Every secret that stands in a configuration. */
export function secretsOf({ keys, store, environments }: Config): string[] {
  const secrets = keys.map(({ secret }) => secret);
  if (store.driver === 's3') secrets.push(store.secretAccessKey ?? '');
  for (const { credentials } of Object.values(environments)) {
    for (const { secret, token } of credentials) secrets.push(secret, token ?? '');
  }
  return secrets;
}
