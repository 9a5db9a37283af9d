import type { MutatedResponse } from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import {
  gatewayError,
  gatewayRequest,
  replace,
  replaceBy,
  setBody,
  setStatus,
  toGatewayResponse,
  toRefusal,
} from './support/gateway.ts';
import { retarget } from './support/storage.ts';

/** Replaces the response to calls of services with matching names. */
const instead = (names: RegExp, response: () => MutatedResponse) =>
  gatewayRequest(({ service = '' }) => (names.test(service) ? response() : undefined));
const failsFor = (service: RegExp) => gatewayError({ service }, setStatus(500));

export const gatewayNames: Rows = {
  'GW-NAME-ACCEPTED': {
    'a name with uppercase letters is rejected': instead(/[A-Z]/, () =>
      toRefusal(400, 'INVALID_REQUEST'),
    ),
    'a name of 60 characters is rejected on POST': {
      request: ({ service, method }) =>
        method === 'POST' && service?.length === 60 ? toRefusal(400, 'INVALID_REQUEST') : undefined,
    },
    'a name of 60 characters is rejected if a path follows': {
      request: ({ service, path }) =>
        service?.length === 60 && /^(\/[^/]*){4}/.test(path)
          ? toRefusal(400, 'INVALID_REQUEST')
          : undefined,
    },
    ...eachOf(
      [
        ['of 60 characters is rejected', /^.{60}$/],
        ['of more than 32 characters is rejected', /^.{33,60}$/],
        ['of two characters is rejected', /^..$/],
        ['with an underscore is rejected', /^[a-z]\w*_\w*$/i],
        ['with an upper case letter is rejected', /^(?=.*[A-Z])[\w-]{1,60}$/],
        ['with two hyphens in a row is rejected', /^[a-z]+.*--.*[a-z\d]$/],
        ['that ends with a digit is rejected', /^[a-z][\w-]*\d$/],
        ['with a hyphen is rejected', /^[a-z]+-[\w-]*\w$/i],
      ] as const,
      ([what, service]) => [
        `a name ${what}`,
        gatewayError(
          { code: 'SERVICE_NOT_FOUND', service },
          replaceBy(() => toRefusal(400, 'INVALID_REQUEST')),
        ),
      ],
    ),
  },
  'GW-NAME-LENGTH': {
    'a one-letter name gets a 200': instead(/^[m-zA-Z]$/, () => toGatewayResponse(200)),
    'a very long name gets an HTML error page': instead(/^.{100}/, () =>
      toGatewayResponse(414, 'text/html', '<h1>URI too long</h1>'),
    ),
    'a name of 61 characters gets 500': failsFor(/^.{61}$/),
    'a name of one character gets 500': failsFor(/^[a-zA-Z]$/),
    'a name of more than 63 characters gets 500': failsFor(/^.{64,}$/),
    'a name that is too long gets an HTML page': gatewayError(
      { service: /^.{61,}$/ },
      setBody('<h1>400 Bad Request</h1>', 'text/html'),
    ),
  },
  'GW-NAME-PATTERN': {
    'a name that begins with an underscore causes an internal error in the gateway': instead(
      /^_/,
      () => toRefusal(500, 'SYS_ERR'),
    ),
    'a name with a semicolon is accepted': retarget(
      replace(/^\/v1\/cloudrun\/[^/?]*;.*/, '/v1/cloudrun/conformance'),
    ),
    'a name that begins with a digit gets 500': failsFor(/^\d/),
    'a name that ends with a hyphen gets 500': failsFor(/-$/),
    'a name that ends with an underscore gets 500': failsFor(/_$/),
    'a name with a dot gets 500': failsFor(/\./),
    'a name with escaped Chinese gets 500': failsFor(/%e[4-9]/i),
    'a name with a tilde gets 500': failsFor(/~/),
    'a name with an escaped space gets 500': failsFor(/%20/),
    'a name with a dot gets an HTML page': gatewayError(
      { service: /\./ },
      setBody('<h1>404 Not Found</h1>', 'text/html'),
    ),
    'hyphens and underscores around a name are trimmed': retarget(
      replace(/(?<=^\/v1\/cloudrun\/)(?:[-_]+(\w+)|(\w+?)[-_]+)(?=[/?]|$)/, '$1$2'),
    ),
  },
};
