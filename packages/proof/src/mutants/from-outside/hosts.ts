import type { MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { fault } from './support/fault.ts';

function sendTo(request: MutatedRequest, env: string, isTaken: (host: string) => boolean): void {
  const host = request.headers.get('Host') ?? '';
  if (request.isGateway && host.split('.')[0] !== env && isTaken(host)) {
    request.headers.set('Host', `${env}.gateway.example`);
  }
}

/** How servers get the environment wrong. */
export const hosts: readonly Mutant[] = [
  fault('GW-ENV-HOST', 'every host is that of the one environment', ({ env }) => ({
    request: (request) => sendTo(request, env, () => true),
  })),
  fault(
    'GW-ENV-HOST',
    'every host is that of the environment of the token',
    ({ env, otherAuthorization, authorization }) => ({
      request(request) {
        if (!request.isGateway || request.headers.get('Host')?.startsWith(`${env}.`)) return;
        if (request.headers.get('Authorization') === otherAuthorization)
          request.headers.set('Authorization', authorization);
        sendTo(request, env, () => true);
      },
    }),
  ),
  fault('GW-ENV-HOST', 'a host that names no environment gets the default one', ({ env }) => ({
    request: (request) => sendTo(request, env, (host) => !host.startsWith('other')),
  })),
];
