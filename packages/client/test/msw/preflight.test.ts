import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { BASE, STORAGE, storage } from './set-up.ts';

const { allowMethods } = defaults.cors;

it('allows cross-origin pages to use the methods of each surface, and the headers that they request', async () => {
  const { fileID } = await storage.upload('a.txt', 'Hello');
  for (const [surface, url] of [
    ['gateway', `${BASE}/v1/cloudrun/users/7`],
    ['storage', `${STORAGE}batchDelete`],
    ['upload', `${BASE}/upload`],
    ['link', await storage.tempUrl(fileID)],
  ] as const) {
    const headers = { 'Access-Control-Request-Headers': 'x-of-mine' };
    const response = await fetch(url, { method: 'OPTIONS', headers });
    expect.soft(response.status, surface).toBe(204);
    const allowed = response.headers.get('Access-Control-Allow-Methods');
    expect.soft(allowed, surface).toBe(allowMethods[surface].join(', '));
    expect.soft(response.headers.get('Access-Control-Allow-Headers'), surface).toBe('x-of-mine');
  }
});
