import { expect, test } from 'vitest';
import { toReceived } from '../http/exchange.ts';
import { listFiles } from './to-evidence.ts';

const stored = new Map([
  ['suite/a.txt', 'cloud://a'],
  ['suite/b.txt', 'cloud://b'],
]);

const files = (body: string, url = 'http://a.example/') =>
  listFiles(stored, {
    sent: { method: 'POST', url, headers: [], body: Buffer.from(body) },
    received: toReceived(200, [], Buffer.alloc(0)),
  });

test('lists the stored files that a call refers to by file ID, path or link', () => {
  expect(files('{"fileList":["cloud://a"]}')).toEqual(['suite/a.txt']);
  expect(files('{"fileList":[{"srcPath":"/suite/b.txt","dstPath":"/suite/c.txt"}]}')).toEqual([
    'suite/b.txt',
  ]);
  expect(files('', 'http://files.example/dev/suite/a.txt?sign=1')).toEqual(['suite/a.txt']);
  expect(files('{"path":"suite/a.txt.copy"')).toEqual([]);
});
