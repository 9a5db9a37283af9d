import { expect, test } from 'vitest';
import { isLoopback } from './host.ts';

test.each(['localhost', '127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])(
  '%s is this machine',
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each(['dev.example', '128.0.0.1', '0.0.0.0', '127.0.0.1.example', '::2', '127.1', ''])(
  '"%s" is another machine',
  (host) => expect(isLoopback(host)).toBe(false),
);
