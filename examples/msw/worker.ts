// src/worker.ts
import { mswHandlers } from '@berth/mock/msw';
import { setupWorker } from 'msw/browser';

const berth = mswHandlers({
  baseUrl: 'http://127.0.0.1:4010',
  services: { hello: () => Response.json({ message: 'Hello from this page.' }) },
});

export const worker = setupWorker(...berth.handlers);
