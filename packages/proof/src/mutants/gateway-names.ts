import type { MutatedResponse } from '../proxy/messages.ts';
import { type Mutant, mutantsOf } from './mutant.ts';
import { gatewayRequest, toGatewayResponse, toRefusal } from './support/gateway.ts';
import { retarget } from './support/storage.ts';

/** Replaces the response to calls of services with matching names. */
const instead = (names: RegExp, response: () => MutatedResponse) =>
  gatewayRequest(({ service = '' }) => (names.test(service) ? response() : undefined));

export const gatewayNames: readonly Mutant[] = [
  ...mutantsOf('GW-NAME-ACCEPTED', {
    'a name with uppercase letters is rejected': instead(/[A-Z]/, () =>
      toRefusal(400, 'INVALID_REQUEST'),
    ),
    'a name of 60 characters is rejected': instead(/^.{60}$/, () =>
      toRefusal(400, 'INVALID_REQUEST'),
    ),
  }),
  ...mutantsOf('GW-NAME-LENGTH', {
    'a one-letter name gets a 200': instead(/^[m-zA-Z]$/, () => toGatewayResponse(200)),
    'a very long name gets an HTML error page': instead(/^.{100}/, () =>
      toGatewayResponse(414, 'text/html', '<h1>URI too long</h1>'),
    ),
  }),
  ...mutantsOf('GW-NAME-PATTERN', {
    'a name that begins with an underscore causes an internal error in the gateway': instead(
      /^_/,
      () => toRefusal(500, 'SYS_ERR'),
    ),
    'a name with a semicolon is accepted': retarget((target) =>
      target.replace(/^\/v1\/cloudrun\/[^/?]*;.*/, '/v1/cloudrun/conformance'),
    ),
  }),
];
