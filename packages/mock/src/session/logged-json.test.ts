import { expect, test } from 'vitest';
import { type LoggedRequest, toLoggedJson } from './request-log.ts';

const toLogged = (body: Uint8Array | undefined, bodyBytes = body?.length ?? 0): LoggedRequest => ({
  id: 'a',
  at: 1,
  surface: 'gateway',
  operationId: undefined,
  service: undefined,
  matched: false,
  request: { method: 'GET', target: '/', headers: {}, body, bodyBytes },
  response: undefined,
  violations: [],
  faults: [],
});

test('the kept part of a longer body may end in the middle of a character', () => {
  for (const text of ['aé', 'a中', 'a😀']) {
    const bytes = Buffer.from(text);
    for (let end = 2; end < bytes.length; end += 1) {
      const { body } = toLoggedJson(toLogged(bytes.subarray(0, end), 99)).request;
      expect(body).toEqual({ text: 'a' });
    }
    expect(toLoggedJson(toLogged(bytes, 99)).request.body).toEqual({ text });
  }
  expect(toLoggedJson(toLogged(Buffer.from([0x61, 0xe4]))).request.body).toEqual({
    base64: 'YeQ=',
  });
});
