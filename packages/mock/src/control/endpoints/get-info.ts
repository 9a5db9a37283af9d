import { contract } from '@berth/server-stubs';
import { readPackageInfo } from '../../cli/package-info.ts';
import type { Endpoint } from '../endpoint.ts';

/** What this mock is. */
export const getInfo: Endpoint = {
  method: 'GET',
  path: 'info',
  answer({ context: { options, url, sessions, services, profile }, session }) {
    const { env, mode, auth, seed } = options;
    return {
      version: readPackageInfo().version,
      url,
      env,
      mode,
      auth,
      seed,
      wireProfile: profile.name,
      contract: Object.fromEntries(
        Object.entries(contract.documents).map(([name, { version }]) => [name, version]),
      ),
      services: services.names(),
      session: session.id,
      sessions: sessions.list().map(({ id }) => id),
    };
  },
};
