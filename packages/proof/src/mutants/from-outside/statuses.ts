import type { MutatedAnswer, MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { mediaTypeOf } from '../support/answers.ts';
import { toRefusal } from '../support/refusals.ts';
import { changeText, fault, ofService } from './fault.ts';

const isAnswer = ({ path }: MutatedRequest) => path.endsWith('/answer');
const replace = (answer: MutatedAnswer, other: MutatedAnswer) => Object.assign(answer, other);

/** What gateways make of statuses, of JSON and of text. */
export const statuses: readonly Mutant[] = [
  fault(
    'GW-GET-JSON',
    'the object is wrapped in data',
    ofService((answer, request) => {
      if (
        isAnswer(request) &&
        request.method === 'GET' &&
        answer.status === 200 &&
        answer.headers.get('Content-Type') === 'application/json'
      )
        answer.json = { data: answer.json };
    }),
    ['GW-BODY'],
  ),
  fault(
    'GW-GET-JSON',
    'an empty object is answered with 204',
    ofService((answer, { method }) => {
      if (method === 'GET' && answer.body.toString() === '{}') answer.status = 204;
    }),
  ),
  fault(
    'GW-GET-TEXT',
    'the text becomes a JSON string',
    ofService((answer, request) => {
      if (
        isAnswer(request) &&
        request.method === 'GET' &&
        mediaTypeOf(answer) === 'text/plain' &&
        answer.status === 200
      ) {
        answer.json = answer.body.toString();
        answer.headers.set('Content-Type', 'application/json');
      }
    }),
    ['GW-BODY', 'GW-HEADERS'],
  ),
  fault(
    'GW-GET-TEXT',
    'a text of a GET is answered as text/html',
    ofService((answer, { method }) => {
      if (method === 'GET' && mediaTypeOf(answer) === 'text/plain')
        answer.headers.set('Content-Type', 'text/html');
    }),
    ['GW-HEADERS'],
  ),
  fault(
    'GW-POST-JSON',
    'a POST is answered with 201',
    ofService((answer, { method }) => {
      if (method === 'POST' && answer.status === 200 && mediaTypeOf(answer) === 'application/json')
        answer.status = 201;
    }),
    ['GW-STATUS'],
  ),
  fault(
    'GW-POST-JSON',
    'members that are null are left out',
    ofService((answer, { method }) => {
      if (method === 'POST' && answer.json && Number.isFinite(answer.status))
        changeText(answer, (text) => text.replace(/"[^"]*":\s*null,?/g, ''));
    }),
    ['GW-BODY'],
  ),
  fault(
    'GW-POST-TEXT',
    'a text of a POST is trimmed and ends with a line feed',
    ofService((answer, { method }) => {
      if (method === 'POST' && mediaTypeOf(answer) === 'text/plain' && answer.status === 200)
        changeText(answer, (text) => `${text.trim()}\n`);
    }),
    ['GW-BODY'],
  ),
  fault(
    'GW-POST-TEXT',
    'a text of a POST is read as Latin-1',
    ofService((answer, { method }) => {
      if (method === 'POST' && mediaTypeOf(answer) === 'text/plain')
        answer.body = Buffer.from(answer.body.toString('latin1'));
    }),
    ['GW-BODY'],
  ),
  fault(
    'GW-STATUS',
    '500 of a service becomes 502 of the gateway',
    ofService((answer) => {
      if (answer.status === 500) replace(answer, toRefusal(502, 'BAD_GATEWAY'));
    }),
    ['GW-BODY', 'GW-HEADERS'],
  ),
  fault(
    'GW-BODY',
    '404 of a service becomes SERVICE_NOT_FOUND',
    ofService((answer) => {
      if (answer.status === 404) replace(answer, toRefusal(404, 'SERVICE_NOT_FOUND'));
    }),
    ['GW-HEADERS', 'GW-C1', 'GW-C2'],
  ),
  fault(
    'GW-STATUS',
    '503 of a service becomes 500',
    ofService((answer) => {
      if (answer.status === 503) answer.status = 500;
    }),
  ),
  fault(
    'GW-STATUS',
    '401 of a service becomes 403',
    ofService((answer) => {
      if (answer.status === 401) answer.status = 403;
    }),
  ),
  fault(
    'GW-STATUS',
    'a redirect is followed, and 200 comes back',
    ofService((answer) => {
      if ([301, 302, 303, 307, 308].includes(answer.status)) answer.status = 200;
    }),
  ),
  fault(
    'GW-STATUS',
    '308 becomes 301',
    ofService((answer) => {
      if (answer.status === 308) answer.status = 301;
    }),
  ),
  fault(
    'GW-STATUS',
    '204 becomes 200',
    ofService((answer) => {
      if (answer.status === 204) answer.status = 200;
    }),
  ),
  fault(
    'GW-STATUS',
    '304 becomes 200',
    ofService((answer) => {
      if (answer.status === 304) answer.status = 200;
    }),
  ),
  fault(
    'GW-STATUS',
    '206 becomes 200',
    ofService((answer) => {
      if (answer.status === 206) answer.status = 200;
    }),
  ),
  fault(
    'GW-STATUS',
    'a status that is not registered becomes its hundred',
    ofService((answer) => {
      if ([299, 298, 218, 419, 420, 444, 460, 499, 520, 530, 598, 599].includes(answer.status))
        answer.status -= answer.status % 100;
    }),
  ),
  fault(
    'GW-STATUS',
    '418 becomes 400',
    ofService((answer) => {
      if (answer.status === 418) answer.status = 400;
    }),
  ),
  fault(
    'GW-STATUS',
    '429 of a service becomes 503',
    ofService((answer) => {
      if (answer.status === 429) answer.status = 503;
    }),
  ),
];
