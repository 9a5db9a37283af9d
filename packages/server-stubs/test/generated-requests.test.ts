import { createRouter, type SecurityHandlers } from '@berth/server-stubs/runtime';
import { expect, it, vi } from 'vitest';
import { loadGenerated } from './corpus/generated.ts';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';

const RESPONSES = { 200: { description: 'The input.', content: { 'application/json': {} } } };
const INTEGERS = { type: 'array', items: { type: 'integer' } };
const PAIR = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };

/** Serves one operation in a document, with a handler that returns its input and the caller. */
async function start(
  operation: object,
  { path = '/x', security = {}, ...rest }: Record<string, unknown> & { path?: string } = {},
): Promise<string> {
  const post = { operationId: 'echo', responses: RESPONSES, ...operation };
  const info = { title: 'T', version: '1' };
  const { table } = await loadGenerated({
    openapi: '3.1.0',
    info,
    paths: { [path]: { post } },
    ...rest,
  });
  const echo = (input: object, call: { security: object }) => ({
    status: 200,
    body: { ...input, security: call.security },
  });
  return serve(createRouter(table, { echo }, { security: security as SecurityHandlers }));
}

it.each([
  [
    'application/json; charset=utf-8',
    'application/json',
    '{"a":1}',
    'application/json; charset=utf-8',
  ],
  ['Application/JSON', 'application/json', '{"a":1}', 'Application/JSON'],
  ['application/json;v=1', 'application/json; v=2', '[1]', 'application/json;v=2'],
])('a body documented as %s is accepted as %s', async (documented, sent, body, contentType) => {
  const content = { [documented]: { schema: PAIR }, 'application/json;v=2': { schema: INTEGERS } };
  const base = await start({ requestBody: { required: true, content } });
  const response = await send(base, '/x', {
    method: 'POST',
    headers: { 'content-type': sent },
    body,
  });
  expect(response.json).toMatchObject({ contentType, body: JSON.parse(body) });
});

it('the root of a server with a path keeps its slash', async () => {
  const base = await start({}, { path: '/', servers: [{ url: 'https://api.example/v1' }] });
  expect((await send(base, '/v1/', { method: 'POST' })).status).toBe(200);
});

it('a handler gets the caller if authentication is optional, and its scheme gets the scopes', async () => {
  const key = vi.fn((value: string) => value);
  const securitySchemes = { key: { type: 'oauth2', flows: {} } };
  const base = await start(
    { security: [{}, { key: ['pets:write'] }] },
    { components: { securitySchemes }, security: { key } },
  );
  const headers = { authorization: 'Bearer ann' };
  expect((await send(base, '/x', { method: 'POST', headers })).json).toMatchObject({
    security: { key: 'ann' },
  });
  expect(key.mock.lastCall?.slice(2)).toEqual([['pets:write']]);
  expect((await send(base, '/x', { method: 'POST' })).json).toEqual({ security: {} });
});
