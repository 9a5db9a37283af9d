import type { OnProblem } from './live.ts';
import { RequestLog } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import { openApi } from './served-api.ts';
import { createSessions } from './sessions/session.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';

/** What all calls of a mock share. */
export type Context = Awaited<ReturnType<typeof createContext>>;

export async function createContext(options: ResolvedOptions, onProblem: OnProblem) {
  const log = new RequestLog(options);
  const api = await openApi(options, await createAuth(options), onProblem);
  try {
    const sessions = createSessions(options, api.listOperations, (session) => log.clear(session));
    return { options, log, sessions, api };
  } catch (error) {
    api.close();
    throw error;
  }
}

async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  switch (credentials) {
    case 'present':
      return createPresentAuth(wireProfile);
    case 'strict': {
      // Verification is loaded only if needed.
      const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
      return createStrictAuth(env, wireProfile);
    }
  }
}
