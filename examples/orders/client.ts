import { bearer, createGatewayClient } from '@berth/client';
import type { paths } from './orders.ts';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });
const orders = gateway.service<paths>('orders');

const { data, error } = await orders.GET('/items/{id}', { params: { path: { id: 42 } } });
if (error) throw new Error(error.message);
console.log(data.name);

await orders.POST('/items', { body: { name: 'Rope' } });
