import { createHash } from 'node:crypto';
import type { MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { changeJson, listOrdered, mediaTypeOf } from '../support/answers.ts';

import { fault, ofGateway, ofService } from './fault.ts';

const NAME = 'X-Request-Id';

function give(answer: MutatedAnswer, id: string): void {
  answer.headers.set(NAME, id);
  if (answer.json?.requestId && answer.json.code)
    changeJson(answer, (json) => {
      json.requestId = id;
    });
}

/** How gateways make request identifiers, and forget them. */
export const requestIds: readonly Mutant[] = [
  fault(
    'GW-REQUEST-ID',
    'an error of the service carries none',
    ofService(({ headers, status }) => {
      if (status >= 400) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-REQUEST-ID',
    '204 and 304 carry none',
    ofService(({ headers, status }) => {
      if (status === 204 || status === 304) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-REQUEST-ID',
    'a call without credentials gets none',
    ofGateway(({ headers, status }) => {
      if (status === 401) headers.remove(NAME);
    }),
    ['GW-REQUEST-ID-EQUAL'],
  ),
  fault(
    'GW-REQUEST-ID',
    'a forbidden service gets an empty one',
    ofGateway(({ headers, status }) => {
      if (status === 403) headers.set(NAME, '');
    }),
    ['GW-REQUEST-ID-EQUAL'],
  ),
  fault(
    'GW-REQUEST-ID',
    'a redirect carries none',
    ofService(({ headers, status }) => {
      if (status > 300 && status < 400) headers.remove(NAME);
    }),
  ),
  fault(
    'GW-REQUEST-ID',
    'an event stream carries none',
    ofService((answer) => {
      if (mediaTypeOf(answer) === 'text/event-stream') answer.headers.remove(NAME);
    }),
  ),
  fault(
    'GW-REQUEST-ID-EQUAL',
    'that of the body is of another layer where the service is missing',
    ofGateway((answer) => {
      if (answer.status === 404)
        changeJson(answer, (json) => {
          json.requestId = crypto.randomUUID();
        });
    }),
  ),
  fault(
    'GW-REQUEST-ID-EQUAL',
    'that of the body is upper-cased without credentials',
    ofGateway((answer) => {
      if (answer.status === 401)
        changeJson(answer, (json) => {
          json.requestId = json.requestId.toUpperCase();
        });
    }),
  ),
  fault(
    'GW-REQUEST-ID-EQUAL',
    'that of the body is empty with a bad name',
    ofGateway((answer) => {
      if (answer.status === 400)
        changeJson(answer, (json) => {
          json.requestId = '';
        });
    }),
  ),
  fault(
    'GW-REQUEST-ID-NEW',
    'it is the time in seconds',
    ofService((answer) => {
      answer.headers.set(NAME, `${Math.floor(Date.now() / 1_000)}`);
    }),
  ),
  fault(
    'GW-REQUEST-ID-NEW',
    'it is that of the caller',
    ofService((answer, { headers }) => {
      const id = headers.get(NAME);
      if (id) answer.headers.set(NAME, id);
    }),
  ),
  fault(
    'GW-REQUEST-ID-NEW',
    'it is that of the caller with errors',
    ofGateway((answer, { headers }) => {
      const id = headers.get(NAME);
      if (id) give(answer, id);
    }),
  ),
  fault(
    'GW-REQUEST-ID-NEW',
    'it is that of X-Correlation-Id or traceparent',
    ofService((answer, { headers }) => {
      const id = headers.get('X-Correlation-Id') ?? headers.get('traceparent');
      if (id) answer.headers.set(NAME, id);
    }),
  ),
  fault('GW-REQUEST-ID-NEW', 'it is made of method, address and credentials', {
    answer(answer, { isGateway, method, target, headers }) {
      const hash = createHash('sha256')
        .update(method + target + headers.get('Authorization'))
        .digest('hex');
      if (isGateway) give(answer, hash);
    },
  }),
  fault('GW-REQUEST-ID-NEW', 'every second call has that of the one before', () => {
    let last: string | undefined;
    return ofService((answer) => {
      if (last === undefined) last = answer.headers.get(NAME);
      else {
        answer.headers.set(NAME, last);
        last = undefined;
      }
    });
  }),
  fault(
    'GW-REQUEST-ID-NEW',
    'errors have the same',
    ofGateway((answer) => give(answer, 'c0ffee')),
  ),
  fault('GW-REQUEST-ID-NEW', 'it is counted to ten and again', () => {
    let count = 0;
    return ofService((answer) => {
      count += 1;
      answer.headers.set(NAME, `request-${count % 10}`);
    });
  }),
  fault(
    'GW-REQUEST-ID-OWN',
    'that of the service follows in the same header',
    ofService(({ headers }, request) => {
      const [own] = listOrdered(request, NAME);
      if (own) headers.set(NAME, `${headers.get(NAME)}, ${own}`);
    }),
  ),
  fault(
    'GW-REQUEST-ID-OWN',
    'that of the service stands beside it with an error',
    ofService(({ headers, status }, request) => {
      const [own] = listOrdered(request, NAME);
      if (own && status >= 400) headers.add('x-request-id', own);
    }),
  ),
  fault(
    'GW-REQUEST-ID-OWN',
    'that of the service is kept with an event stream',
    ofService((answer, request) => {
      const [own] = listOrdered(request, NAME);
      if (own && mediaTypeOf(answer) === 'text/event-stream') answer.headers.set(NAME, own);
    }),
  ),
  fault(
    'GW-REQUEST-ID-OWN',
    'that of the service is kept on POST',
    ofService(({ headers }, request) => {
      const [own] = listOrdered(request, NAME);
      if (own && request.method === 'POST') headers.set(NAME, own);
    }),
  ),
  fault('GW-REQUEST-ID-OWN', 'that of the service is kept on the 101', {
    upgraded({ headers }, request) {
      const [own] = listOrdered(request, NAME);
      if (own) headers.set(NAME, own);
    },
  }),
  fault(
    'GW-REQUEST-ID-OWN',
    "the gateway's own stands there twice",
    ofService(({ headers }, request) => {
      if (listOrdered(request, NAME).length > 0) headers.add(NAME, headers.get(NAME) ?? '');
    }),
  ),
  fault('GW-REQUEST-ID-UPGRADE', 'the 101 has an empty one', {
    upgraded: ({ headers }) => headers.set(NAME, ''),
  }),
  fault('GW-REQUEST-ID-OPTIONS', 'a preflight carries none', {
    answer({ headers }, { isGateway, method, headers: asked }) {
      if (isGateway && method === 'OPTIONS' && asked.get('Access-Control-Request-Method'))
        headers.remove(NAME);
    },
  }),
  fault('GW-REQUEST-ID-OPTIONS', 'an OPTIONS without Origin gets none', {
    answer({ headers }, { isGateway, method, headers: asked }) {
      if (isGateway && method === 'OPTIONS' && !asked.get('Origin')) headers.remove(NAME);
    },
  }),
  fault('GW-REQUEST-ID-OPTIONS', 'an OPTIONS without credentials gets none', {
    answer({ headers }, { isGateway, method, headers: asked }) {
      if (isGateway && method === 'OPTIONS' && !asked.get('Authorization')) headers.remove(NAME);
    },
  }),
];
