import type { OpenWebSocket } from '@berth/client';
import type { Deployment } from '../platform-case.ts';
import type { PlatformId } from '../platforms.ts';
import { type CaseResult, runSuite } from '../run-suite.ts';
import { SUITE } from '../suite.ts';

const BEARER = 'Bearer ';

/** A browser has only its own; the token goes as a subprotocol (D14). */
const openWebSocket: OpenWebSocket = (url, protocols, { authorization = '' }) =>
  new WebSocket(url, [...protocols, `berth.bearer.${authorization.slice(BEARER.length)}`]);

/** No agent is used in a browser, in whatever way. */
const unusable = new Proxy(
  {},
  {
    get(_, property) {
      throw new Error(`The agent was asked for ${String(property)}.`);
    },
  },
);

/** Runs the suite in a page. */
Object.assign(globalThis, {
  runSuite: (platform: PlatformId, deployment: Deployment, tell: (result: CaseResult) => unknown) =>
    runSuite(
      SUITE,
      platform,
      deployment,
      {
        openWebSocket,
        // Whatever a page adds, its browser does not look at it.
        trustingFetch: (ca) => (url, init) =>
          fetch(url, { ...init, tls: { ca }, client: {}, dispatcher: {} } as RequestInit),
        createAgent: () => unusable,
      },
      tell,
    ),
});
