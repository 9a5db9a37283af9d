import { expect, test } from 'vitest';
import { standardProfile } from '../../contract/wire-profile.ts';
import { createScrubber } from './recording.ts';

const scrub = (text: string, ...learnt: string[]) => {
  const scrubber = createScrubber({ profile: standardProfile });
  scrubber.learn(learnt);
  return scrubber.body('response', 'gateway', Buffer.from(text)).toString();
};

test.each([
  ['Authorization', 'Bearer secret-0001', 'you sent secret-0001 中', 'you sent … 中'],
  ['Cookie', 'a=secret-0001; b=secret-0002', 'secret-0002, secret-0001', '…, …'],
  ['Set-Cookie', 'a=secret-0001; Path=/secret-path', 'secret-0001 /secret-path', '… /secret-path'],
  ['X-Svc-SessionToken', 'secret-0001', '"secret-0001"', '"…"'],
  ['Authorization', 'TC3-HMAC-SHA256 Credential=a, Signature=secret-01', 'secret-01', '…'],
  [
    'Authorization',
    'TC3-HMAC-SHA256 SignedHeaders=content-type;host',
    'content-type',
    'content-type',
  ],
  ['Sec-WebSocket-Protocol', 'chat, berth.bearer.secret-0001', 'secret-0001 chat', '… chat'],
  ['Authorization', 'Bearer secret+/0001==', '?t=secret%2B%2F0001%3D%3D', '?t=…'],
  ['Cookie', 'a=secret"0001', '{"a":"secret\\"0001"}', '{"a":"…"}'],
  ['Authorization', 'Bearer any', 'any word', 'any word'],
  ['X-Other', 'secret-0001', 'secret-0001', 'secret-0001'],
])('%s: %s', (name, value, text, expected) => {
  expect(scrub(text, name, value)).toBe(expected);
});

test('knows the names of a wire profile, including one that is set later', () => {
  const holder = { profile: standardProfile };
  const scrubber = createScrubber(holder);
  holder.profile = {
    ...standardProfile,
    storageHeaders: { authorization: 'X-A', sessionToken: 'X-B', timestamp: 'X-C' },
  };
  expect(scrubber.headers(['X-A', 'secret-0001', 'X-C', '1'])).toEqual({ 'x-a': '…', 'x-c': '1' });
});

test('removes parameters that are credentials', () => {
  const { target } = createScrubber({ profile: standardProfile });
  expect(target('/a?access_token=b&X-Amz-Signature=c&x=1&token=')).toBe(
    '/a?access_token=…&X-Amz-Signature=…&x=1&token=…',
  );
});
