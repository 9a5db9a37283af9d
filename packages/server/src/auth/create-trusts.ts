import type { AuthEnvironments } from './auth-environment.ts';
import type { Trust } from './bearer/create-bearer.ts';
import { createKeySource, isRemote } from './bearer/create-key-source.ts';

/** What the loading of keys needs. */
interface Settings {
  readonly now: () => number;
  readonly onKeyFailure: (env: string, reason: string) => void;
}

/** Trust in issuers by environment, with the URL that the keys are from. */
export type Trusts = ReadonlyMap<string, Trust & { readonly url: string | undefined }>;

/**
 * Reads inline keys and files anew. A URL that was there before keeps its keys, so that an update does
 * not hang on an issuer that is away; the tokens that they verified are forgotten.
 *
 * @throws Error that names the environment
 */
export async function createTrusts(
  environments: AuthEnvironments,
  before: Trusts,
  { now, onKeyFailure }: Settings,
): Promise<Trusts> {
  const trusts = new Map<string, Trust & { readonly url: string | undefined }>();
  for (const [env, { tokens }] of Object.entries(environments)) {
    if (tokens === undefined) continue;
    const { issuer, jwks } = tokens;
    const url = isRemote(jwks) ? jwks : undefined;
    const old = before.get(env);
    if (old?.url !== undefined && old.url === url) {
      trusts.set(env, { issuer, url, keys: old.keys });
      continue;
    }
    const onFailure = (reason: string) => onKeyFailure(env, reason);
    const keys = await createKeySource(jwks, { now, onFailure }).catch((error: Error) => {
      throw new TypeError(`The keys of the environment ${env}: ${error.message}`);
    });
    trusts.set(env, { issuer, url, keys });
  }
  return trusts;
}
