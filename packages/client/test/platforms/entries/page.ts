import type { OpenWebSocket } from '@berth/client';
import type { Deployment } from '../platform-case.ts';
import type { PlatformId } from '../platforms.ts';
import { runSuite } from '../run-suite.ts';
import type { Told } from '../runners/serve-page.ts';
import { SUITE } from '../suite.ts';
import { unusable } from './unusable.ts';

const BEARER = 'Bearer ';

/** A browser only has its own WebSocket, so the token is sent as a subprotocol (D14). */
const openWebSocket: OpenWebSocket = (url, protocols, { authorization = '' }) =>
  new WebSocket(url, [...protocols, `berth.bearer.${authorization.slice(BEARER.length)}`]);

const tell = (told: Told) => fetch('/told', { method: 'POST', body: JSON.stringify(told) });

// Runs the suite in a page as soon as it is opened.
addEventListener('error', ({ message }) => tell({ fault: message }));
addEventListener('unhandledrejection', ({ reason }) => tell({ fault: String(reason) }));
const given: { platform: PlatformId; deployment: Deployment } = await (
  await fetch('/given')
).json();
await runSuite(
  SUITE,
  given.platform,
  given.deployment,
  {
    openWebSocket,
    // Whatever a page adds, the browser ignores it.
    trustingFetch: (ca) => (url, init) =>
      fetch(url, { ...init, tls: { ca }, client: {}, dispatcher: {} } as RequestInit),
    createAgent: () => unusable,
  },
  (result) => tell({ result }),
);
await tell({ end: true });
