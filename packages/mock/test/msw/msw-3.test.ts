import { http } from 'msw';
import * as msw3 from 'msw3';
import { expect, it, vi } from 'vitest';

vi.mock('msw', () => import('msw3'));
vi.mock('msw/node', () => import('msw3/node'));

it('is MSW 3 in this file', () => {
  expect(http).toBe(msw3.http);
});

// Everything that works with MSW 2 must work with MSW 3.
await import('./gateway.test.ts');
await import('./storage.test.ts');
