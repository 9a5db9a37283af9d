import type { MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  gatewayError,
  gatewayRequest,
  replace,
  setBody,
  toGatewayResponse,
  toRefusal,
} from './support/gateway.ts';
import { retarget } from './support/storage.ts';

/** Replaces the response to calls of services with matching names. */
const instead = (names: RegExp, response: () => MutatedResponse) =>
  gatewayRequest(({ service = '' }) => (names.test(service) ? response() : undefined));

export const gatewayNames: Rows = {
  'GW-NAME/1: a name with uppercase letters is rejected': instead(/[A-Z]/, () =>
    toRefusal(400, 'INVALID_REQUEST'),
  ),
  'GW-NAME/1: a name of 60 characters is rejected if a path follows': {
    request: ({ service, path }) =>
      service?.length === 60 && /^(\/[^/]*){4}/.test(path)
        ? toRefusal(400, 'INVALID_REQUEST')
        : undefined,
  },
  'GW-NAME/2: a one-letter name gets a 200': instead(/^[m-zA-Z]$/, () => toGatewayResponse(200)),
  'GW-NAME/2: a name that is too long gets an HTML page': gatewayError(
    { service: /^.{61,}$/ },
    setBody('<h1>400 Bad Request</h1>', 'text/html'),
  ),
  'GW-NAME/3: a name with a semicolon is accepted': retarget(
    replace(/^\/v1\/cloudrun\/[^/?]*;.*/, '/v1/cloudrun/conformance'),
  ),
  'GW-NAME/3: hyphens and underscores around a name are trimmed': retarget(
    replace(/(?<=^\/v1\/cloudrun\/)(?:[-_]+(\w+)|(\w+?)[-_]+)(?=[/?]|$)/, '$1$2'),
  ),
};
