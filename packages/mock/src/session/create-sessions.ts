import type { Session } from './session.ts';

/** The sessions of a mock. */
export interface Sessions {
  /** The session of a name, made where it is new; empty for the default one. */
  get(id: string): Session;
  /** Those that there are, the default one first, then the least recently used first. */
  list(): readonly Session[];
  /** Forgets a session; the default one begins anew. */
  delete(id: string): boolean;
}

/**
 * @param create makes an empty session
 * @param max most sessions beside the default one; the least recently used is forgotten
 */
export function createSessions(create: (id: string) => Session, max: number): Sessions {
  const sessions = new Map<string, Session>();
  let standard: Session | undefined;
  const forget = (session: Session | undefined) => {
    if (session === undefined) return false;
    session.files.release();
    session.requests.clear();
    return sessions.delete(session.id);
  };
  const getStandard = () => {
    standard ??= create('');
    return standard;
  };
  return {
    get(id) {
      if (id === '') return getStandard();
      const known = sessions.get(id);
      const session = known ?? create(id);
      // The order of a Map is that of insertion: the first is the one that was used longest ago.
      if (known !== undefined) sessions.delete(id);
      sessions.set(id, session);
      if (sessions.size > max) forget(sessions.values().next().value);
      return session;
    },
    list: () => [getStandard(), ...sessions.values()],
    delete(id) {
      if (id !== '') return forget(sessions.get(id));
      standard?.files.release();
      standard?.requests.clear();
      standard = undefined;
      return true;
    },
  };
}
