import { bearer, createGatewayClient, isBerthError } from '@berth/client';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });

try {
  await gateway.service('hello').get('', {
    headers: { 'X-Mock-Fault': 'code=SERVICE_CHARGE_OVERDUE' }, // makes this call fail
  });
} catch (error) {
  if (isBerthError(error, 'gateway')) console.log(error.code, error.retryable);
  else if (isBerthError(error)) console.log(error.kind, error.message);
  else throw error;
}
