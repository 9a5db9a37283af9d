import type { AuthEnvironments } from '../auth/auth-environment.ts';
import type { Config } from '../config/config.ts';

/** Who is let in where, as the authenticator wants it. */
export function toAuthEnvironments({ environments }: Config): AuthEnvironments {
  return Object.fromEntries(
    Object.entries(environments).map(([env, { tokens, credentials }]) => [
      env,
      {
        tokens: tokens as AuthEnvironments[string]['tokens'],
        credentials: credentials.map(({ expires, ...pair }) => ({
          ...pair,
          expires: expires === undefined ? undefined : new Date(expires),
        })),
      },
    ]),
  );
}
