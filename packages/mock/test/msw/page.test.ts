// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest';
import { berth, call, linkTo, upload } from './set-up.ts';

vi.mock('msw', () => import('msw3'));
vi.mock('msw/node', () => import('msw3/node'));

// MSW 3 keeps happy-dom's `fetch`, which sends a preflight, like a cross-origin page.
it('calls services and stores files from another origin', async () => {
  expect(await (await call('orders/7')).json()).toEqual({ id: '7' });
  expect((await call('orders', { method: 'POST', body: '{}' })).status).toBe(201);
  const { fileID } = await upload('a.txt', 'Hello');
  expect(await (await fetch(await linkTo(fileID))).text()).toBe('Hello');
  expect(berth.files.list()).toHaveLength(1);
});
