import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({
  baseUrl: 'http://127.0.0.1:4010', // the mock
  auth: bearer('dev'),
});
console.log(await gateway.service('hello').get());
