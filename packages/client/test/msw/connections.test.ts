import { gatewayError, type ServiceEventInit } from '@berth/client/msw';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../support/fake-fetch.ts';
import { berth, gateway, server } from './set-up.ts';

const hello = gateway.service('hello');
const handlers = berth.service('hello');

describe('events of a hosted service', () => {
  const collect = async (path: string, options = {}) => {
    const seen = [];
    for await (const event of hello.events(path, options)) seen.push(event);
    return seen;
  };

  it('are sent once from a list, although the client reconnects', async () => {
    server.use(
      handlers.events('news', [{ event: 'mail', data: { from: 'Bob' } }, { data: 'two\nlines' }]),
    );
    expect(await collect('news')).toEqual([
      { event: 'mail', data: '{"from":"Bob"}', id: '1' },
      { event: 'message', data: 'two\nlines', id: '2' },
    ]);
    expect(await collect('news', { lastEventId: '1' })).toHaveLength(1);
  });

  it('come from a generator, which ends when the client aborts', async () => {
    const { promise: end, resolve: left } = Promise.withResolvers<void>();
    async function* count(): AsyncGenerator<ServiceEventInit> {
      try {
        for (let n = 1; ; n += 1) yield { data: n, id: String(n) };
      } finally {
        left();
      }
    }
    server.use(handlers.events('count', () => count()));
    const controller = new AbortController();
    const seen = [];
    for await (const { data } of hello.events('count', { signal: controller.signal })) {
      seen.push(data);
      if (seen.length === 3) controller.abort();
    }
    expect(seen).toEqual(['1', '2', '3']);
    await end;
  });

  it('may be refused, without affecting other requests', async () => {
    server.use(
      handlers.events('news', () => gatewayError('SERVICE_FORBIDDEN')),
      handlers.get('news', () => 'no events'),
    );
    expect(await failureOf(collect('news'))).toMatchObject({ code: 'SERVICE_FORBIDDEN' });
    expect(await hello.get('news')).toBe('no events');
  });
});

describe('WebSockets of a hosted service', () => {
  it('go both ways', async () => {
    server.use(
      handlers.connect('chat', ({ client }) => {
        client.addEventListener('message', ({ data }) => client.send(`You said: ${data}`));
      }),
    );
    const socket = await hello.connect('chat');
    const response = new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
    });
    socket.send('Hello');
    expect(await response).toBe('You said: Hello');
    socket.close();
  });
});
