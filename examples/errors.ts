import { bearer, createGatewayClient, isGatewayError, isNetworkError } from '@berth/client';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });

try {
  await gateway.service('hello').get('', {
    headers: { 'X-Mock-Fault': 'code=SERVICE_CHARGE_OVERDUE' }, // makes the mock fail
  });
} catch (error) {
  if (isGatewayError(error)) console.log(error.source, error.code, error.retryable);
  else if (isNetworkError(error)) console.log('no response', error.cause);
  else throw error;
}
