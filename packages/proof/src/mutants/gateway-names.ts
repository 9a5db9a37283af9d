import type { MutatedResponse } from '../proxy/messages.ts';
import { type Mutant, mutant } from './mutant.ts';
import { gatewayRequest, toGatewayResponse, toRefusal } from './support/gateway.ts';
import { retarget } from './support/storage.ts';

/** Gives requests to services of such names a response of its own. */
const instead = (names: RegExp, response: () => MutatedResponse) =>
  gatewayRequest(({ service = '' }) => (names.test(service) ? response() : undefined));

export const gatewayNames: readonly Mutant[] = [
  mutant(
    'GW-NAME-ACCEPTED',
    'upper case is refused in a name',
    instead(/[A-Z]/, () => toRefusal(400, 'INVALID_REQUEST')),
  ),
  mutant(
    'GW-NAME-ACCEPTED',
    'a name of 60 characters is refused',
    instead(/^.{60}$/, () => toRefusal(400, 'INVALID_REQUEST')),
  ),
  mutant(
    'GW-NAME-LENGTH',
    'a name of one letter is answered with 200',
    instead(/^[m-zA-Z]$/, () => toGatewayResponse(200)),
  ),
  mutant(
    'GW-NAME-LENGTH',
    'a very long name is refused with a page',
    instead(/^.{100}/, () => toGatewayResponse(414, 'text/html', '<h1>URI too long</h1>')),
  ),
  mutant(
    'GW-NAME-PATTERN',
    'a name that begins with an underscore is a failure of the gateway',
    instead(/^_/, () => toRefusal(500, 'SYS_ERR')),
  ),
  mutant(
    'GW-NAME-PATTERN',
    'a name with a semicolon is called',
    retarget((target) => target.replace(/^\/v1\/cloudrun\/[^/?]*;.*/, '/v1/cloudrun/conformance')),
  ),
];
