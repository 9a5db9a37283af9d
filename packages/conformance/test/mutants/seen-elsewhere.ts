import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { pieces } from './support/connections.ts';
import { accept, acceptIfSignedFor, acceptSigned, isSigned } from './support/credentials.ts';
import {
  callAgain,
  drop,
  gatewayError,
  gatewayRequest,
  replace,
  serviceResponse,
  setBody,
  setHeader,
} from './support/gateway.ts';
import { toPath, watching } from './support/history.ts';
import { COPY, LINKS, leaveOut, list } from './support/storage.ts';
import { afterUpload, keyOf, readForm, repairForms, uploadRequest } from './support/uploads.ts';

const { authorization } = profile.storageHeaders;

const acceptsHtml = (_: MutatedResponse, { headers }: MutatedRequest) =>
  headers.get('Accept')?.includes('text/html');

const toPage = setBody('<h1>An error has occurred</h1>', 'text/html');

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
  'GW-ERROR/1: an error is an HTML page if the caller accepts one': gatewayError(
    { when: acceptsHtml },
    toPage,
  ),
  'ST-RESPONSE: a call that is rejected gets an HTML page if the caller accepts one': {
    response(response, request) {
      const isRejected = request.operation && response.status >= 400;
      if (isRejected && acceptsHtml(response, request)) toPage(response);
    },
  },
  'GW-C3/1: an event stream is exempt only if the caller accepts nothing else': serviceResponse(
    {
      type: 'text/event-stream',
      when: (_, { headers }) => headers.get('Accept') !== 'text/event-stream',
    },
    setHeader('Content-Disposition', 'attachment'),
  ),
  'GW-ENV-HOST: X-Forwarded-Host selects the environment': gatewayRequest(({ headers }) => {
    const host = headers.get('X-Forwarded-Host');
    if (host) headers.set('Host', host);
  }),
  'GW-CALLS-APART: a POST is sent again if the service responds with 503': (context) =>
    serviceResponse({ method: 'POST', status: 503 }, async (_, request) => {
      await callAgain(context, request, { Authorization: context.authorization });
    }),
  'GW-SSE-UNBUFFERED: an event stream is buffered if the caller accepts gzip': {
    async *messages(all, { isHandshake, headers }) {
      const isPassed = isHandshake || !headers.get('Accept-Encoding')?.includes('gzip');
      yield* isPassed ? all : await Array.fromAsync(all);
    },
  },
  'GW-FORWARD-HEADERS: Range does not reach the service': gatewayRequest(({ headers }) =>
    headers.remove('Range'),
  ),
  'AU-BEARER: the header authorization is not found in lower case': gatewayRequest(
    ({ headers }) => {
      headers.list = headers.list.filter(([name]) => name !== 'authorization');
    },
  ),
  'AU-TC3-COVERS/5: the body of a signed call in chunks is not verified': acceptSigned(
    (request, context) =>
      request.headers.get('Transfer-Encoding') && isSigned(request, context, { body: '' }),
  ),
  'ST-INVALID/3: null in an item counts as a field that is absent': {
    request(call) {
      if (!call.operation) return;
      call.body = Buffer.from(drop(/,"\w+":null(?=[,}])/g)(call.body.toString()));
    },
  },
  'ST-COPY-OVERWRITE/2: the path of a deleted file counts as taken': watching(() => {
    const deleted = new Set<string>();
    return {
      ...leaveOut(COPY, ({ overwrite, dstPath }) =>
        overwrite === false && deleted.has(toPath(dstPath))
          ? { code: 'TAKEN', message: 'The file already exists.' }
          : undefined,
      ),
      deleted: (path) => deleted.add(path),
    };
  }),
  'UP-FIELDS/1: an empty Signature is not checked': repairForms(
    'Signature',
    (value) => value === '',
  ),
  'UP-FORM: a form for an existing file that is longer replaces only its beginning': ({
    read,
    store,
  }) => {
    const longer = new Map<string, Buffer>();
    return {
      ...uploadRequest(async (request) => {
        const key = keyOf(readForm(request));
        const before = await read(key);
        if (before) longer.set(key, before);
      }),
      ...afterUpload(async (_, form) => {
        const [key, file] = [keyOf(form), form.get('file') ?? Buffer.alloc(0)];
        const rest = longer.get(key)?.subarray(file.length);
        if (rest?.length) await store(key, Buffer.concat([file, rest]));
      }),
    };
  },
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
