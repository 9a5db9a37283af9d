import { expect, test } from 'vitest';
import { Bucket } from './bucket.ts';

const openBucket = (prefix: string) => new Bucket({ bucket: 'files', region: 'us-east-1', prefix });

test('keys of objects have prefix, environment and path, at most 1,024 bytes, and differ', () => {
  const bucket = openBucket('berth/');
  expect(bucket.keyOf({ env: 'dev', path: '照片/a.jpg' })).toBe('berth/dev/照片/a.jpg');
  const path = 'x'.repeat(1024 - 'berth/dev/'.length);
  expect(bucket.keyOf({ env: 'dev', path })).toBe(`berth/dev/${path}`);
  const paths = [`${path}x`, `${path}y`, `${path.slice(2)}é!`];
  const long = paths.map((longer) => bucket.keyOf({ env: 'dev', path: longer }));
  expect(new Set(long).size).toBe(3);
  for (const key of long) expect(key).toMatch(/^berth\/\.long\/dev\/[0-9a-f]{64}$/);
});

test.each(['', 'a/b', '..', 'a.long', '.long', 'a b'])(
  'refuses the environment %j, which could reach into another one',
  (env) => expect(() => openBucket('').keyOf({ env, path: 'a' })).toThrow(TypeError),
);
