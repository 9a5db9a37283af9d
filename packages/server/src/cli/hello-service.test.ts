import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { expect, onTestFinished, test } from 'vitest';
import { chooseType, startHelloService } from './hello-service.ts';

test('it returns the examples of the contract, as the mock does', async () => {
  const { origin, close } = await startHelloService();
  onTestFinished(close);
  const call = (headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${origin}/a/b?x=1`, { ...init, headers });
  const { Greeting, Text } = gateway.components.examples;
  expect(await (await call({})).json()).toEqual(Greeting.value);
  expect(await (await call({}, { method: 'POST', body: '{}' })).json()).toEqual(Greeting.value);
  expect(await (await call({ accept: 'text/plain' })).text()).toBe(Text.value);
  const events = (id: string) => call({ accept: 'text/event-stream', 'last-event-id': id });
  const all = await (await events('')).text();
  expect(all.match(/^id: .$/gm)).toEqual(['id: 1', 'id: 2']);
  expect(await (await events('1')).text()).toBe(all.slice(all.indexOf('id: 2')));
  expect((await events('2')).status).toBe(204);
});

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/html', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/json, text/plain, text/event-stream', 'application/json'],
  ['text/html, Text/Plain; charset=utf-8', 'text/plain'],
  ['text/event-stream', 'text/event-stream'],
])('%s gives %s', (accept, type) => {
  expect(chooseType(accept)).toBe(type);
});
