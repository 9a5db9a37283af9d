import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { bearer, type SignableRequest } from './credentials.ts';

const request: SignableRequest = {
  method: 'GET',
  url: 'https://dev.example/v1/cloudrun/hello',
  headers: {},
  body: null,
  now: 0,
};

describe('bearer', () => {
  it('drops the old token if a refresh fails', async () => {
    const provider = vi.fn(async () => 'a').mockResolvedValueOnce('old');
    const auth = bearer(provider);
    await auth.authorize(request);
    provider.mockRejectedValueOnce(new Error('down'));
    await expect(auth.refresh?.()).rejects.toThrow('down');
    expect(await auth.authorize(request)).toBe('Bearer a');
  });

  describe('a JWT', () => {
    const jwt = (payload: unknown) => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg: 'RS256' })}.${part(payload)}.signature`;
    };
    const at = (auth: ReturnType<typeof bearer>, seconds: number) =>
      auth.authorize({ ...request, now: seconds * 1000 });

    it('is replaced 30 s before its exp, by the clock of the server', async () => {
      const tokens = [jwt({ exp: 1_000, name: '中>>>???' }), jwt({ exp: 2_000 })];
      const provider = vi.fn(() => tokens.shift() as string);
      const auth = bearer(provider);
      const [first, second] = tokens.map((token) => `Bearer ${token}`);
      expect(await at(auth, 0)).toBe(first);
      expect(await at(auth, 969.999)).toBe(first);
      expect(await Promise.all([at(auth, 970), at(auth, 970)])).toEqual([second, second]);
      expect(await at(auth, 1_969)).toBe(second);
      expect(provider).toHaveBeenCalledTimes(2);
    });

    it('that has already expired is sent, and requested again for the next call', async () => {
      const over = jwt({ exp: 1 });
      const provider = vi.fn(() => over);
      const auth = bearer(provider);
      expect([await at(auth, 9), await at(auth, 9)]).toEqual([`Bearer ${over}`, `Bearer ${over}`]);
      expect(provider).toHaveBeenCalledTimes(2);
    });

    it.each([
      ['no exp', jwt({ sub: 'a' })],
      ['an exp that is not a number', jwt({ exp: '1' })],
      ['a payload that is not an object', jwt(null)],
      ['a payload that is not JSON', 'a.b.c'],
      ['a payload that is not base64url', 'a.*.c'],
      ['no parts', 'opaque'],
    ])('with %s is kept', async (_, token) => {
      const provider = vi.fn(() => token);
      const auth = bearer(provider);
      for (const time of [0, 10 ** 10]) expect(await at(auth, time)).toBe(`Bearer ${token}`);
      expect(provider).toHaveBeenCalledTimes(1);
    });
  });

  it.each(['', ' ', undefined])('refuses the token %j', async (token) => {
    expect(() => bearer(token as string)).toThrow(new TypeError('token is empty.'));
    const auth = bearer(() => token as string);
    await expect(auth.authorize(request)).rejects.toThrow('token is empty.');
  });

  it.each(['Bearer 5ec4e7', ' bearer  5ec4e7'])(
    'refuses a token with its scheme, and does not show it: %j',
    async (token) => {
      const refused = new TypeError('token must not include "Bearer".');
      expect(() => bearer(token)).toThrow(refused);
      const auth = bearer(() => token);
      await expect(auth.authorize(request)).rejects.toThrow(refused);
    },
  );

  it('shows no token', async () => {
    const auth = bearer(() => 'to-ken');
    await auth.authorize(request);
    const shown = inspect(auth, { depth: 9, showHidden: true }) + JSON.stringify(auth);
    expect(shown + inspect(bearer('to-ken'), { showHidden: true })).not.toContain('to-ken');
  });
});
