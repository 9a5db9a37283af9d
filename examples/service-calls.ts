import { z } from 'zod';

declare function readAccessToken(): Promise<string>;
declare function show(event: string, data: string): void;
declare const signal: AbortSignal;
interface User {
  name: string;
}
const Order = z.object({ id: z.string() });

// #region services
import { bearer, createGatewayClient } from '@berth/client';

const gateway = createGatewayClient({
  baseUrl: 'https://dev.gateway.example.com', // the first label is the environment
  auth: bearer(() => readAccessToken()),
});
const users = gateway.service('users');

const user = await users.get<User>('7?full=true');
const order = await users.post('7/orders', { item: 3 }, { schema: Order }); // checked and typed
const response = await users.request('7/report.pdf'); // the raw Response, body unread

for await (const { event, data } of users.events('7/news', { signal })) show(event, data);

const socket = await users.connect('7/chat', { protocols: ['chat'] }); // an open WebSocket
// #endregion
