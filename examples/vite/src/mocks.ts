// src/mocks.ts
import { events, mswHandlers, routes } from '@berth/mock/msw';
import { setupWorker } from 'msw/browser';

const berth = mswHandlers({
  baseUrl: 'https://api.example.com',
  services: {
    users: routes({
      'GET /me': () => Response.json({ name: 'Ada' }),
      'GET /me/news': (request) => events([{ data: 'Bob called.' }], request),
    }),
  },
});

export const worker = setupWorker(...berth.handlers);
