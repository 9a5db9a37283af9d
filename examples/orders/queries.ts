import { bearer, createGatewayClient } from '@berth/client';
import { QueryClient } from '@tanstack/react-query';
import type { paths } from './orders.ts';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });

// #region queries
import createClient from 'openapi-fetch';
import createQueries from 'openapi-react-query';

const { url } = gateway.service('orders');
const orders = createQueries(createClient<paths>({ baseUrl: url, fetch: gateway.fetch }));
const item = orders.queryOptions('get', '/items/{id}', { params: { path: { id: 42 } } });
// #endregion
console.log((await new QueryClient().fetchQuery(item)).name);
