import type { ServerResponse } from 'node:http';
import { dispositionRules } from '@berth/server-stubs';
import express from 'express';
import { expect, test } from 'vitest';
import { applyDispositionRules } from '../src/http/disposition.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

function dispositionOf(method: string, headers: Parameters<typeof applyDispositionRules>[1]) {
  return applyDispositionRules({ method, headers: {} }, headers)['content-disposition'];
}

test.each([
  ['GET', 'application/json'],
  ['GET', 'text/plain'],
  ['HEAD', 'text/plain'],
  ['POST', 'text/html'],
  ['POST', 'application/problem+json'],
  ['POST', 'image/png'],
  ['POST', undefined],
  ['GET', 'text/event-stream, text/html'],
])('%s %s is an attachment (C1, C2)', (method, type) => {
  expect(dispositionOf(method, { 'content-type': type })).toBe('attachment');
});

test.each([
  ['POST', 'application/json; charset=utf-8'],
  ['POST', 'Text/Plain'],
  ['POST', 'application/x-www-form-urlencoded ;charset=utf-8'],
  ['GET', 'text/event-stream; charset=utf-8'],
  ['POST', 'text/event-stream'],
])('%s %s is not an attachment (C2, C3)', (method, type) => {
  expect(dispositionOf(method, { 'Content-Type': type })).toBeUndefined();
});

test('a WebSocket upgrade is exempt (C3)', () => {
  const headers = { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' };
  expect(applyDispositionRules({ method: 'GET', headers }, {})).toEqual({});
});

test.each([
  'attachment; filename="a;b.txt"',
  "Attachment ; filename=a.txt; filename*=UTF-8''%E4%B8%AD.txt",
  'attachment; filename="say \\"hi\\".txt"',
])("the service's own %s is kept", (own) => {
  expect(dispositionOf('GET', { 'Content-Disposition': own })).toBe(own);
});

test.each([
  'inline',
  'inline; filename=attachment',
  'attachmentx',
  'attachment, inline',
  'attachment; filename="a.txt',
  'form-data; name="x"',
  '',
])("the service's own %j is replaced", (own) => {
  expect(dispositionOf('GET', { 'content-disposition': own })).toBe('attachment');
});

test('several headers become one, and an attachment takes precedence', () => {
  const own = ['inline', 'attachment; filename=a.txt'];
  expect(
    applyDispositionRules(
      { method: 'GET', headers: {} },
      { 'Content-Disposition': own, etag: '"1"' },
    ),
  ).toEqual({ etag: '"1"', 'content-disposition': 'attachment; filename=a.txt' });
});

test("a service's own disposition is removed if no rule requires one", () => {
  const headers = { 'content-type': 'text/plain', 'CONTENT-DISPOSITION': 'inline' };
  expect(dispositionOf('POST', headers)).toBeUndefined();
  expect(headers).toHaveProperty('CONTENT-DISPOSITION');
});

test('a hostile header is handled quickly', () => {
  const own = `attachment${'; "'.repeat(20_001)}`;
  const start = process.cpuUsage();
  expect(dispositionOf('GET', { 'content-disposition': own }) === own).toBe(false);
  expect(process.cpuUsage(start).user).toBeLessThan(500_000);
});

const HTML = 'text/html';
const OWN = 'attachment; filename=a.txt';

const WAYS: readonly [string, (response: ServerResponse) => void][] = [
  ['setHeader and end', (response) => void response.setHeader('Content-Disposition', OWN).end()],
  ['an object', (response) => void response.writeHead(200, { 'Content-Disposition': OWN }).end()],
  [
    'a reason',
    (response) => void response.writeHead(200, 'Fine', { 'content-disposition': OWN }).end(),
  ],
  ['a flat list', (response) => void response.writeHead(200, ['Content-Disposition', OWN]).end()],
  [
    'what was set before and is replaced',
    (response) => {
      response.setHeader('content-disposition', 'inline');
      response.writeHead(200, { 'Content-Disposition': OWN });
      response.write('a');
      response.end();
    },
  ],
  [
    'two lines',
    (response) => void response.setHeader('content-disposition', ['inline', OWN]).end(),
  ],
];

test.each(WAYS)('sees headers given with %s', async (_, respond) => {
  const base = await serve((request, response) => {
    dispositionRules()(request, response, () => respond(response));
  });
  const { rawHeaders, status } = await send(base, '/');
  const names = rawHeaders.filter((name) => name.toLowerCase() === 'content-disposition');
  expect([status, names.length, rawHeaders[rawHeaders.indexOf(names[0] ?? '') + 1]]).toEqual([
    200,
    1,
    OWN,
  ]);
});

test('keeps several lines of other headers', async () => {
  const base = await serve((request, response) => {
    dispositionRules()(request, response, () => {
      response.setHeader('set-cookie', 'old=0');
      response.writeHead(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end();
    });
  });
  expect((await send(base, '/')).headers['set-cookie']).toEqual(['a=1', 'b=2']);
});

test('works in Express, even for responses from Express itself', async () => {
  const app = express();
  app.use(dispositionRules());
  app.get('/html', (_, response) => void response.type(HTML).send('<p>hi</p>'));
  app.get('/events', (_, response) => void response.type('text/event-stream').send('data: 1\n\n'));
  app.post('/json', (_, response) => void response.attachment('a.json').json({ a: 1 }));
  const base = await serve(app);
  const dispositionOf = async (method: string, path: string) =>
    (await send(base, path, { method })).headers['content-disposition'];
  expect(await dispositionOf('GET', '/html')).toBe('attachment');
  expect(await dispositionOf('HEAD', '/html')).toBe('attachment');
  expect(await dispositionOf('GET', '/missing')).toBe('attachment');
  expect(await dispositionOf('GET', '/events')).toBeUndefined();
  expect(await dispositionOf('POST', '/json')).toBeUndefined();
});
