import type { WireProfile } from '../contract/wire-profile.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Auth } from './auth.ts';
import { createOffAuth } from './off-auth.ts';
import { createPresentAuth } from './present-auth.ts';

/** Who is let in, by the mode. Real verification is loaded only where it is asked for. */
export async function createAuth(
  { auth, env }: Pick<ResolvedOptions, 'auth' | 'env'>,
  profile: WireProfile,
): Promise<Auth> {
  if (auth === 'off') return createOffAuth(profile);
  if (auth === 'present') return createPresentAuth(profile);
  const { createStrictAuth } = await import('./strict-auth.ts');
  return createStrictAuth(env, profile);
}
