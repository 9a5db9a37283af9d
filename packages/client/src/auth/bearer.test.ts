import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { SignableRequest } from './auth.ts';
import { bearer } from './bearer.ts';

const request: SignableRequest = {
  method: 'GET',
  url: 'https://dev.example/v1/cloudrun/hello',
  headers: {},
  body: null,
  now: 0,
};

function counted() {
  let count = 0;
  const provider = vi.fn(async () => `t${++count}`);
  const auth = bearer(provider);
  return { provider, authorize: () => auth.authorize(request), refresh: auth.refresh as Refresh };
}
type Refresh = (refused?: string) => Promise<boolean>;

describe('bearer', () => {
  it('sends a token, which nothing can make new', () => {
    const auth = bearer('a');
    expect(auth.authorize(request)).toBe('Bearer a');
    expect(auth.refresh).toBeUndefined();
  });

  it('asks once for all who wait and keeps the token', async () => {
    const { provider, authorize } = counted();
    expect(await Promise.all([authorize(), authorize()])).toEqual(['Bearer t1', 'Bearer t1']);
    expect(await authorize()).toBe('Bearer t1');
    expect(provider).toHaveBeenCalledTimes(1);
  });

  it('asks once more however many calls were refused, also late ones', async () => {
    const { provider, authorize, refresh } = counted();
    const refused = await authorize();
    expect(await Promise.all([refresh(refused), refresh(refused)])).toEqual([true, true]);
    expect(await refresh(refused)).toBe(true);
    expect(await authorize()).toBe('Bearer t2');
    expect(provider).toHaveBeenCalledTimes(2);
  });

  it('lets calls that begin meanwhile wait for the new token', async () => {
    const { authorize, refresh } = counted();
    await authorize();
    const refreshed = refresh();
    expect(await authorize()).toBe('Bearer t2');
    expect(await refreshed).toBe(true);
  });

  it('tells that the function gave the same token again', async () => {
    const auth = bearer(() => 'same');
    await auth.authorize(request);
    expect(await auth.refresh?.('Bearer same')).toBe(false);
    expect(await auth.refresh?.()).toBe(false);
  });

  it('fails for each that waits, and asks again for the next', async () => {
    const cause = new Error('down');
    const provider = vi
      .fn(() => 'b')
      .mockImplementationOnce(() => {
        throw cause;
      });
    const auth = bearer(provider);
    const results = await Promise.allSettled([auth.authorize(request), auth.refresh?.()]);
    for (const result of results) {
      expect(result).toMatchObject({
        reason: { message: 'The function that gives the token failed: Error: down', cause },
      });
    }
    expect(provider).toHaveBeenCalledTimes(1);
    expect(await auth.authorize(request)).toBe('Bearer b');
  });

  it('keeps no old token where a refresh failed', async () => {
    const provider = vi.fn(async () => 'a').mockResolvedValueOnce('old');
    const auth = bearer(provider);
    await auth.authorize(request);
    provider.mockRejectedValueOnce(new Error('down'));
    await expect(auth.refresh?.()).rejects.toThrow('down');
    expect(await auth.authorize(request)).toBe('Bearer a');
  });

  it.each(['', ' ', undefined])('refuses the token %j', async (token) => {
    expect(() => bearer(token as string)).toThrow(new TypeError('The token is empty.'));
    const auth = bearer(() => token as string);
    await expect(auth.authorize(request)).rejects.toThrow('The token is empty.');
  });

  it('shows no token', async () => {
    const auth = bearer(() => 'to-ken');
    await auth.authorize(request);
    const shown = inspect(auth, { depth: 9, showHidden: true }) + JSON.stringify(auth);
    expect(shown + inspect(bearer('to-ken'), { showHidden: true })).not.toContain('to-ken');
  });
});
