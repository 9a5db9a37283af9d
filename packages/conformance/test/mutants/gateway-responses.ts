import type { Hooks } from '../proxy/messages.ts';
import {
  callAgain,
  changeJson,
  gatewayResponse,
  passHeader,
  removeHeader,
  serviceResponse,
  setBody,
  setStatus,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

/** Changes each piece of an event stream as it arrives. */
const pieces = (change: (piece: Buffer) => Buffer): Hooks => ({
  async *messages(all, { isHandshake }) {
    for await (const message of all)
      yield isHandshake ? message : { ...message, data: change(message.data) };
  },
});

const dropLines = (text: string) => text.replace(/(^data:.*\r?\n)(?:data:.*\r?\n)+/gm, '$1');

export const gatewayResponses: Rows = {
  'GW-STATUS: a 504 becomes a 502': gatewayResponse({ method: 'GET', status: 504 }, setStatus(502)),
  'GW-HEADERS: Set-Cookie headers are joined into one': serviceResponse(
    { when: ({ headers }) => headers.get('Set-Cookie') },
    ({ headers }) => headers.set('Set-Cookie', headers.all('Set-Cookie').join(', ')),
  ),
  'GW-HEADERS: a 304 loses its ETag': gatewayResponse({ status: 304 }, removeHeader('ETag')),
  'GW-HOP-BY-HOP: headers that Connection lists pass': gatewayResponse(
    {},
    passHeader('X-Conformance-One', 'add'),
  ),
  'GW-HOP-BY-HOP: Keep-Alive passes with events': serviceResponse(
    { type: 'text/event-stream' },
    passHeader('Keep-Alive'),
  ),
  'GW-BODY: an object with a code is wrapped in data': gatewayResponse(
    { method: 'GET', status: 200, code: 'OK' },
    (response) => {
      response.json = { data: response.json };
    },
  ),
  'GW-BODY: JSON is parsed and serialized again': gatewayResponse(
    { method: 'POST', status: 200, type: 'application/json' },
    changeJson({}),
  ),
  'GW-BODY: a 404 page is replaced': serviceResponse({ status: 404 }, setBody('<h1>None</h1>')),
  'GW-STATUS: the gateway follows a redirect of the service': (context) =>
    serviceResponse({ method: 'GET', status: [301, 302, 307] }, async (response, request) => {
      request.target = '/v1/cloudrun/conformance/moved';
      Object.assign(response, await callAgain(context, request));
    }),
  'GW-SSE: only the first line of data arrives': pieces((piece) =>
    Buffer.from(dropLines(piece.toString('latin1')), 'latin1'),
  ),
  'GW-SSE: a split character is replaced': pieces((piece) => Buffer.from(piece.toString())),
};
