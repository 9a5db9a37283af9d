import { MutatedResponse } from '../proxy/messages.ts';
import { gatewayError, gatewayRequest, retarget, setBody, toRefusal } from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

export const gatewayNames: Rows = {
  'GW-NAME/1: a name with uppercase letters is rejected': gatewayRequest(({ service = '' }) =>
    /[A-Z]/.test(service) ? toRefusal(400, 'INVALID_REQUEST') : undefined,
  ),
  'GW-NAME/2: a one-letter name gets a 200': gatewayRequest(({ service }) =>
    service?.length === 1 ? new MutatedResponse(200) : undefined,
  ),
  'GW-NAME/2: a name that is too long gets an HTML page': gatewayError(
    { path: /\/[^/]{61,}/ },
    setBody('<h1>400 Bad Request</h1>', 'text/html'),
  ),
  'GW-NAME/3: hyphens and underscores around a name are trimmed': retarget((target) =>
    target.replace(/(?<=^\/v1\/cloudrun\/)(?:[-_]+(\w+)|(\w+?)[-_]+)(?=[/?]|$)/, '$1$2'),
  ),
};
