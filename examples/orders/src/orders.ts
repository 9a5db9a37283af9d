// src/orders.ts
import { createServer } from 'node:http';
import { createRouter } from './generated/index.gen.ts';

const names = ['Rope'];
const router = createRouter({
  getItemsId: ({ path: { id } }) => ({ status: 200, body: { id, name: names[id] ?? 'Anchor' } }),
  postItems: ({ body: { name } }) => ({ status: 201, body: { id: names.push(name) - 1, name } }),
});
createServer(router).listen(9000, '127.0.0.1');
