import { expect, test } from 'vitest';
import { toEnvOption } from './gateway.ts';

test.each(['127.0.0.1', 'localhost', '::1', 'LOCALHOST'])(
  'a mock on %s takes its environment alone',
  (host) => expect(toEnvOption({ env: 'dev', host })).toBe('dev'),
);

test('a mock that is open to the network takes addresses and its own name as well', () => {
  const takes = toEnvOption({ env: 'dev', host: 'box.lan' }) as (label: string) => boolean;
  // The router hands over the first label of a host, and a loopback host whole.
  const labels = ['DEV', 'box', 'localhost', '127.0.0.1', '[::1]', '192', '[fe80::1]', 'prod'];
  expect(labels.filter(takes)).toEqual(labels.slice(0, -1));
});
