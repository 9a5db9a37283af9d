import { type Mutant, mutant } from './mutant.ts';
import { changeJson, gatewayResponse, setHeader, setStatus } from './support/gateway.ts';

export const gatewayErrors: readonly Mutant[] = [
  mutant(
    'GW-ERROR-BODY',
    'credential errors are sent as problem+json',
    gatewayResponse(
      { status: 401, when: ({ json }) => json?.code },
      setHeader('Content-Type', 'application/problem+json'),
    ),
  ),
  mutant(
    'GW-ERROR-CODE',
    'the code for an invalid name is a number',
    gatewayResponse({ status: 400, when: ({ json }) => json?.code }, changeJson({ code: 400 })),
  ),
  mutant(
    'GW-ERROR-MESSAGE',
    'the error for a missing service has no message',
    gatewayResponse({ code: 'SERVICE_NOT_FOUND' }, changeJson({ message: undefined })),
  ),
  mutant(
    'GW-ERROR-REQUEST-ID',
    'the error for a POST to a missing service has no requestId',
    gatewayResponse(
      { method: 'POST', code: 'SERVICE_NOT_FOUND' },
      changeJson({ requestId: undefined }),
    ),
  ),
  mutant(
    'GW-ERROR-FORBIDDEN',
    'a POST to a forbidden service gets a different code',
    gatewayResponse(
      { method: 'POST', code: 'SERVICE_FORBIDDEN' },
      changeJson({ code: 'FORBIDDEN' }),
    ),
  ),
  mutant(
    'GW-ERROR-NOT-FOUND',
    'a POST to a missing service gets a 410',
    gatewayResponse({ method: 'POST', status: 404, code: 'SERVICE_NOT_FOUND' }, setStatus(410)),
  ),
];
