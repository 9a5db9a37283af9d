import { expect, test } from 'vitest';
import { toEnvOption } from './gateway.ts';

test.each(['127.0.0.1', 'localhost', '::1', 'LOCALHOST'])(
  'a mock on %s only accepts its environment',
  (host) => expect(toEnvOption({ env: 'dev', host })).toBe('dev'),
);

test('a mock that is exposed to the network also accepts IP addresses and its own name', () => {
  const takes = toEnvOption({ env: 'dev', host: 'box.lan' }) as (label: string) => boolean;
  // The router passes the first label of a host, or a complete loopback host.
  const labels = ['DEV', 'box', 'localhost', '127.0.0.1', '[::1]', '192', '[fe80::1]', 'prod'];
  expect(labels.filter(takes)).toEqual(labels.slice(0, -1));
});
