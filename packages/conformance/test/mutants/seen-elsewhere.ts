import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { Rows } from './mutant.ts';
import { pieces } from './support/connections.ts';
import { accept, acceptIfSignedFor } from './support/credentials.ts';
import { gatewayError, replace, serviceResponse, setBody } from './support/gateway.ts';
import { LINKS, list } from './support/storage.ts';

const { authorization } = profile.storageHeaders;

/** Faults of deployments that an earlier suite has missed. */
export const seenElsewhere: Rows = {
  'AU-TC3-COVERS/3: a signature of the parent path is accepted': acceptIfSignedFor(({ path }) => ({
    path: path.slice(0, path.lastIndexOf('/')),
  })),
  'AU-REJECTED/1: a token with characters added is accepted': accept(
    (value, _, { authorization: token }) => value?.startsWith(token),
  ),
  'GW-BODY: the line ends of an event stream are converted': pieces(replace('\r\n', '\n')),
  'GW-BODY: the space after the colon is lost in an event stream': pieces(replace(/: /g, ':')),
  'GW-SSE: characters outside ASCII are replaced in an event stream': pieces(
    replace(/[\x80-\xff]/g, '?'),
  ),
  'GW-SSE: an event stream ends after three events': {
    async *messages(all, { isHandshake }) {
      let count = 0;
      for await (const piece of all) {
        yield piece;
        count += piece.data.includes('\n\n') ? 1 : 0;
        if (count === 3 && !isHandshake) return;
      }
    },
  },
  'AU-REJECTED/1: a token is accepted in lower case': accept(
    (value, _, { authorization: token }) => value?.toLowerCase() === token.toLowerCase(),
  ),
  'AU-STORAGE-REJECTED/2: characters after a signature are ignored': {
    request({ operation, headers }) {
      const value = headers.get(authorization);
      const cut = value?.replace(/(?<=Signature=\w{64}).*/, '');
      if (operation && cut) headers.set(authorization, cut);
    },
  },
  'AU-TC3-SIGNED-HEADERS/1: the parameters of a content type are cut before its signature is verified':
    acceptIfSignedFor({
      header: (name, value) => (name === 'content-type' ? value.replace(/\s*;.*/, '') : value),
    }),
  'GW-ERROR/1: INVALID_HOST is plain text': gatewayError(
    { code: 'INVALID_HOST' },
    setBody('invalid host', 'text/plain'),
  ),
  'ST-LISTS/1: lists are cut after 20 items': list(LINKS, (all) => all.slice(0, 20)),
  'GW-STATUS: the gateway follows a redirect of the service': ({ call, authorization: token }) =>
    serviceResponse(
      { method: 'GET', status: [301, 302, 303, 307, 308] },
      async (response, { service, headers }) => {
        const { pathname } = new URL(response.headers.get('Location') ?? '', 'http://a');
        const target = `/v1/cloudrun/${service}${pathname}`;
        const Host = headers.get('Host') ?? '';
        const followed = { method: 'GET', target, headers: { Host, Authorization: token } };
        Object.assign(response, await call(followed));
      },
    ),
};
