import { bearer, createGatewayClient, toGatewayError } from '@berth/client';
import type { paths } from './orders.ts';

const gateway = createGatewayClient<{ orders: paths }>({
  baseUrl: 'http://127.0.0.1:4010',
  auth: bearer('dev'),
});
const orders = gateway.service('orders');

const { data, error, response } = await orders.GET('/items/{id}', { params: { path: { id: 42 } } });
if (error) throw toGatewayError({ error, response });
console.log(data.name);

await orders.POST('/items', { body: { name: 'Rope' } });
