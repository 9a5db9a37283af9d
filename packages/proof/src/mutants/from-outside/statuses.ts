import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  changeText,
  replaceBy,
  serviceResponse,
  setHeader,
  setStatus,
  toRefusal,
} from '../support/gateway.ts';

const RESPOND_PATH = /\/respond$/;
const UNREGISTERED = [299, 298, 218, 419, 420, 444, 460, 499, 520, 530, 598, 599];
const REDIRECTS = [301, 302, 303, 307, 308];

/** Mutants that change statuses, JSON and text, as some real gateways do. */
export const statuses: readonly Mutant[] = [
  ...mutantsOf('GW-GET-JSON', {
    'the object is wrapped in data': serviceResponse(
      { method: 'GET', path: RESPOND_PATH, status: 200, contentType: 'application/json' },
      (response) => {
        response.json = { data: response.json };
      },
    ),
    'an empty object becomes 204': serviceResponse(
      { method: 'GET', when: ({ body }) => body.toString() === '{}' },
      setStatus(204),
    ),
  }),
  ...mutantsOf('GW-GET-TEXT', {
    'the text becomes a JSON string': serviceResponse(
      { method: 'GET', path: RESPOND_PATH, status: 200, type: 'text/plain' },
      (response) => {
        response.json = response.body.toString();
        response.headers.set('Content-Type', 'application/json');
      },
    ),
    'the text of a GET becomes text/html': serviceResponse(
      { method: 'GET', type: 'text/plain' },
      setHeader('Content-Type', 'text/html'),
    ),
  }),
  ...mutantsOf('GW-POST-JSON', {
    'the status of a POST becomes 201': serviceResponse(
      { method: 'POST', status: 200, type: 'application/json' },
      setStatus(201),
    ),
    'null members are omitted': serviceResponse(
      { method: 'POST', when: ({ json }) => json },
      changeText((text) => text.replace(/"[^"]*":\s*null,?/g, '')),
    ),
  }),
  ...mutantsOf('GW-POST-TEXT', {
    'the text of a POST is trimmed and ends with a line feed': serviceResponse(
      { method: 'POST', status: 200, type: 'text/plain' },
      changeText((text) => `${text.trim()}\n`),
    ),
    'the text of a POST is read as Latin-1': serviceResponse(
      { method: 'POST', type: 'text/plain' },
      (response) => {
        response.body = Buffer.from(response.body.toString('latin1'));
      },
    ),
  }),
  mutant(
    'GW-STATUS',
    '500 from a service becomes 502 from the gateway',
    serviceResponse(
      { status: 500 },
      replaceBy(() => toRefusal(502, 'BAD_GATEWAY')),
    ),
  ),
  mutant(
    'GW-BODY',
    '404 from a service becomes SERVICE_NOT_FOUND',
    serviceResponse(
      { status: 404 },
      replaceBy(() => toRefusal(404, 'SERVICE_NOT_FOUND')),
    ),
  ),
  ...(
    [
      ['503 from a service becomes 500', 503, 500],
      ['401 from a service becomes 403', 401, 403],
      ['a redirect is followed', REDIRECTS, 200],
      ['308 becomes 301', 308, 301],
      ['204 becomes 200', 204, 200],
      ['304 becomes 200', 304, 200],
      ['206 becomes 200', 206, 200],
    ] as const
  ).map(([breaks, status, other]) =>
    mutant('GW-STATUS', breaks, serviceResponse({ status }, setStatus(other))),
  ),
  ...mutantsOf('GW-STATUS', {
    'an unregistered status is replaced by the first status of its class': serviceResponse(
      { status: UNREGISTERED },
      (response) => {
        response.status -= response.status % 100;
      },
    ),
    '418 becomes 400': serviceResponse({ status: 418 }, setStatus(400)),
    '429 from a service becomes 503': serviceResponse({ status: 429 }, setStatus(503)),
  }),
];
