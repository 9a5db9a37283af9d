import type { ServerResponse } from 'node:http';
import { dispositionRules } from '@berth/server-stubs';
import express from 'express';
import { expect, test } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

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
