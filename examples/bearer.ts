import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({
  baseUrl: 'http://127.0.0.1:4010',
  auth: bearer(async () => {
    console.log('a new token');
    return 'token-of-my-login';
  }),
});
console.log(await gateway.service('hello').get());
console.log(await gateway.service('hello').get()); // the same token
