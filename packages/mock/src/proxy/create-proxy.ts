import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent } from 'undici';
import type { Context } from '../context.ts';
import type { ProxyTargets } from '../options.ts';
import { type RecordedRequest, recordOf } from '../session/call-record.ts';
import { sendOwnRefusal } from '../surfaces/own-refusal.ts';
import { createKnownAddresses, findDestination } from './addresses.ts';
import { type Backend, toBackendListeners } from './backend.ts';
import { createCheckers } from './check-requests.ts';
import { forward } from './forward.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { findProxyRefusal, type Recorder } from './parts.ts';
import type { Verdicts } from './verdicts.ts';

const LOST = {
  gateway: 'AccessDenied',
  storage: 'AccessDenied',
  upload: 'AccessDenied',
  link: 'AccessDenied',
};

/**
 * Creates a proxy that forwards every call to a deployment, and checks requests and responses against the
 * contract. It modifies only the URLs that the storage API issues: the mock stores them, and replaces them
 * with its own.
 */
export function createProxy(
  context: Context,
  targets: ProxyTargets,
  verdicts: Verdicts,
  recorder: Recorder | undefined,
): Backend {
  // A stream may be idle indefinitely; a response must begin within 300 s.
  const agent = new Agent({ bodyTimeout: 0 });
  const addresses = createKnownAddresses();
  const checkers = createCheckers(context);
  // RFC 9110, section 7.6.3: a pseudonym unique to this mock.
  const via = `berth-mock-${randomBytes(6).toString('hex')}`;
  const parts = { via, context, agent, targets, addresses, checkers, verdicts, recorder };

  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const record = recordOf(request);
    const refusal = findProxyRefusal(request, parts);
    if (refusal !== undefined) {
      sendOwnRefusal(refusal, record.surface, context, request, response);
      return undefined;
    }
    const destination = findDestination(record.surface, request.url ?? '/', targets, addresses);
    if (destination === undefined) {
      record.matched = false;
      const message = 'The mock did not issue this URL: request a new one from the storage API.';
      sendOwnRefusal({ code: LOST, message }, record.surface, context, request, response);
      return undefined;
    }
    return forward(parts, request as RecordedRequest, response, destination);
  };
  return {
    listeners: toBackendListeners(pass, (request, response) => {
      response.writeContinue();
      return pass(request, response);
    }),
    upgrade: (request, socket, head) => forwardUpgrade(parts, request, socket, head),
    async close() {
      await agent.destroy();
      await recorder?.close();
    },
  };
}
