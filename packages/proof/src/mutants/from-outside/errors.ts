import type { MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { changeJson } from '../support/answers.ts';
import { toRefusal } from '../support/refusals.ts';
import { fault, ofGateway } from './fault.ts';

const isMissing = (answer: MutatedAnswer) => answer.json?.code === 'SERVICE_NOT_FOUND';
const isForbidden = (answer: MutatedAnswer) => answer.json?.code === 'SERVICE_FORBIDDEN';

/** How gateways answer errors of their own, and name services. */
export const errors: readonly Mutant[] = [
  fault(
    'GW-ERROR-BODY',
    'that of a missing service is text/plain',
    ofGateway((answer) => {
      if (isMissing(answer)) answer.headers.set('Content-Type', 'text/plain');
    }),
  ),
  fault(
    'GW-ERROR-BODY',
    'a forbidden service is answered with problem+json',
    ofGateway((answer) => {
      if (isForbidden(answer)) answer.headers.set('Content-Type', 'application/problem+json');
    }),
  ),
  fault(
    'GW-ERROR-BODY',
    'it is JSON in a JSON string on POST',
    ofGateway((answer, { method }) => {
      if (method === 'POST' && isMissing(answer)) answer.json = answer.body.toString();
    }),
    ['GW-ERROR-NOT-FOUND', 'GW-NAME-ACCEPTED'],
  ),
  fault(
    'GW-ERROR-CODE',
    'it is a number',
    ofGateway((answer) => {
      if (isForbidden(answer)) return;
      changeJson(answer, (json) => {
        if (json.code !== 'SERVICE_NOT_FOUND') json.code = 401;
      });
    }),
  ),
  fault(
    'GW-ERROR-CODE',
    'it stands in an object error',
    ofGateway((answer) => {
      if (answer.status === 401)
        changeJson(answer, (json) => {
          json.error = { code: json.code };
          delete json.code;
        });
    }),
  ),
  fault(
    'GW-ERROR-MESSAGE',
    'it is null with a forbidden service',
    ofGateway((answer) => {
      if (isForbidden(answer))
        changeJson(answer, (json) => {
          json.message = null;
        });
    }),
  ),
  fault(
    'GW-ERROR-MESSAGE',
    'it is missing without credentials',
    ofGateway((answer, { headers }) => {
      if (!headers.get('Authorization'))
        changeJson(answer, (json) => {
          delete json.message;
        });
    }),
  ),
  fault(
    'GW-ERROR-MESSAGE',
    'it is a list with a bad name',
    ofGateway((answer) => {
      if (answer.status === 400)
        changeJson(answer, (json) => {
          json.message = [json.message];
        });
    }),
  ),
  fault(
    'GW-ERROR-REQUEST-ID',
    'it is spelled request_id where credentials are wrong',
    ofGateway((answer) => {
      if (answer.status === 401)
        changeJson(answer, (json) => {
          json.request_id = json.requestId;
          delete json.requestId;
        });
    }),
  ),
  fault(
    'GW-ERROR-REQUEST-ID',
    'it is a number',
    ofGateway((answer) => {
      if (isMissing(answer)) {
        changeJson(answer, (json) => {
          json.requestId = 4711;
        });
        answer.headers.set('X-Request-Id', '4711');
      }
    }),
    ['GW-REQUEST-ID-NEW'],
  ),
  fault(
    'GW-ERROR-FORBIDDEN',
    'it is hidden as a missing service',
    ofGateway((answer) => {
      if (isForbidden(answer)) Object.assign(answer, toRefusal(404, 'SERVICE_NOT_FOUND'));
    }),
  ),
  fault(
    'GW-ERROR-FORBIDDEN',
    'its code is FORBIDDEN on a deep path',
    ofGateway((answer, { path }) => {
      if (isForbidden(answer) && path.split('/').length > 5)
        changeJson(answer, (json) => {
          json.code = 'FORBIDDEN';
        });
    }),
  ),
  fault(
    'GW-ERROR-FORBIDDEN',
    'it is 401 on POST',
    ofGateway((answer, { method }) => {
      if (isForbidden(answer) && method === 'POST') answer.status = 401;
    }),
  ),
  fault(
    'GW-ERROR-NOT-FOUND',
    'a missing service is NOT_FOUND',
    ofGateway((answer) => {
      if (isMissing(answer))
        changeJson(answer, (json) => {
          json.code = 'NOT_FOUND';
        });
    }),
    ['GW-NAME-ACCEPTED'],
  ),
  fault(
    'GW-ERROR-NOT-FOUND',
    'a missing service is 503 on a deep path',
    ofGateway((answer, { path }) => {
      if (isMissing(answer) && path.split('/').length > 5) answer.status = 503;
    }),
  ),
  fault('GW-ERROR-NOT-FOUND', 'a missing service that begins like another calls that one', () => ({
    request(request) {
      request.target = request.target.replace(
        /(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/,
        'conformance',
      );
    },
  })),
  ...(
    [
      ['of 60 characters is refused', /^.{60}$/],
      ['of more than 32 characters is refused', /^.{33,60}$/],
      ['of two characters is refused', /^..$/],
      ['with an underscore is refused', /^[a-z]\w*_\w*$/i],
      ['with a capital letter is refused', /^(?=.*[A-Z])[\w-]{1,60}$/],
      ['with two hyphens in a row is refused', /^[a-z]+.*--.*[a-z\d]$/],
      ['that ends with a digit is refused', /^[a-z][\w-]*\d$/],
      ['with a hyphen is refused', /^[a-z]+-[\w-]*\w$/i],
    ] as const
  ).map(([what, pattern]) =>
    fault(
      'GW-NAME-ACCEPTED',
      `a name ${what}`,
      ofGateway((answer, { service = '' }) => {
        if (isMissing(answer) && pattern.test(service))
          Object.assign(answer, toRefusal(400, 'INVALID_REQUEST'));
      }),
    ),
  ),
  ...(
    [
      ['GW-NAME-LENGTH', 'a name of 61 characters ends in 500', /^.{61}$/],
      ['GW-NAME-LENGTH', 'a name of one character ends in 500', /^[a-zA-Z]$/],
      ['GW-NAME-LENGTH', 'a name of more than 63 characters ends in 500', /^.{64,}$/],
      ['GW-NAME-PATTERN', 'a name that begins with a digit ends in 500', /^\d/],
      ['GW-NAME-PATTERN', 'a name that ends with a hyphen ends in 500', /-$/],
      ['GW-NAME-PATTERN', 'a name that ends with an underscore ends in 500', /_$/],
      ['GW-NAME-PATTERN', 'a name that begins with an underscore ends in 500', /^_/],
      ['GW-NAME-PATTERN', 'a name with a dot ends in 500', /\./],
      ['GW-NAME-PATTERN', 'a name with an escape of Chinese ends in 500', /%e[4-9]/i],
      ['GW-NAME-PATTERN', 'a name with a tilde ends in 500', /~/],
      ['GW-NAME-PATTERN', 'a name with an escaped space ends in 500', /%20/],
    ] as const
  ).map(([rule, breaks, pattern]) =>
    fault(
      rule,
      breaks,
      ofGateway((answer, { service = '' }) => {
        if (pattern.test(service)) answer.status = 500;
      }),
    ),
  ),
  fault(
    'GW-NAME-LENGTH',
    'a name that is too long is answered with a page',
    ofGateway((answer, { service = '' }) => {
      if (service.length > 60) {
        answer.body = Buffer.from('<h1>400 Bad Request</h1>');
        answer.headers.set('Content-Type', 'text/html');
      }
    }),
  ),
  fault(
    'GW-NAME-PATTERN',
    'a name with a dot is answered with a page',
    ofGateway((answer, { service = '' }) => {
      if (service.includes('.')) {
        answer.body = Buffer.from('<h1>404 Not Found</h1>');
        answer.headers.set('Content-Type', 'text/html');
      }
    }),
  ),
  fault('GW-NAME-PATTERN', 'hyphens and underscores around a name are taken off', {
    request(request) {
      request.target = request.target.replace(
        /(?<=^\/v1\/cloudrun\/)(?:[-_]+(\w+)|(\w+?)[-_]+)(?=[/?]|$)/,
        '$1$2',
      );
    },
  }),
];
