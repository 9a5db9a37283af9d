import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({
  baseUrl: 'http://127.0.0.1:4010',
  auth: bearer('dev'),
  retry: { attempts: 5, delay: 100 }, // milliseconds, doubled each time, with jitter
  timeout: 30_000, // for all attempts together
});

const order = await gateway.service('hello').post('orders/7', { item: 3 }, { idempotent: true });
console.log(order);
