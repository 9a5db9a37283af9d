import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { type ExpiringKeyPair, tc3Storage } from './tc3-storage.ts';

const PAIR = { secretId: 'id', secretKey: 'a secret' };
const NOW = 1_700_000_000_000;

describe('tc3Storage', () => {
  it('signs as published', async () => {
    const secretId = 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8';
    const secretKey = 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=';
    const sign = tc3Storage(
      { secretId, secretKey },
      { service: 'tcb', signingHost: 'api.tcloudbase.com' },
    );
    expect(await sign(1_600_227_242_000)).toEqual({
      authorization: `1.0 TC3-HMAC-SHA256 Credential=${secretId}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`,
      sessionToken: '',
      timestamp: 1_600_227_242,
    });
  });

  it('signs for the service of the contract, now, with the session token', async () => {
    const before = Math.floor(Date.now() / 1000);
    const values = await tc3Storage({ ...PAIR, token: 't' })();
    expect(values.authorization).toContain('/svc/tc3_request, ');
    expect(values.sessionToken).toBe('t');
    expect(values.timestamp).toBeGreaterThanOrEqual(before);
  });

  it('asks for a pair once and keeps it', async () => {
    const provider = vi.fn(async () => PAIR);
    const sign = tc3Storage(provider);
    await Promise.all([sign(NOW), sign(NOW)]);
    await sign(NOW + 1e12);
    expect(provider).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a date', (time: number) => new Date(time)],
    ['a text', (time: number) => new Date(time).toISOString()],
    ['a number', (time: number) => time],
  ])('asks again a minute before the end, given as %s, once for all', async (_, toExpires) => {
    let count = 0;
    const provider = vi.fn(() => ({
      ...PAIR,
      token: `t${++count}`,
      expires: toExpires(NOW + count * 3_600_000),
    }));
    const sign = tc3Storage(provider);
    const last = await sign(NOW + 3_540_000 - 1);
    const next = await Promise.all([sign(NOW + 3_540_000), sign(NOW + 3_540_000)]);
    expect([last, ...next].map(({ sessionToken }) => sessionToken)).toEqual(['t1', 't2', 't2']);
    expect(provider).toHaveBeenCalledTimes(2);
  });

  it('fails for each that waits, and asks again for the next', async () => {
    const cause = new Error('down');
    const provider = vi.fn(async (): Promise<ExpiringKeyPair> => PAIR).mockRejectedValueOnce(cause);
    const sign = tc3Storage(provider);
    const results = await Promise.allSettled([sign(NOW), sign(NOW)]);
    for (const result of results) {
      expect(result).toMatchObject({
        reason: { message: 'The function that gives the key pair failed: Error: down', cause },
      });
    }
    expect(provider).toHaveBeenCalledTimes(1);
    expect(await sign(NOW)).toHaveProperty('timestamp', NOW / 1000);
  });

  it.each([
    [{ ...PAIR, secretKey: '' }, 'secretId or secretKey is empty.'],
    [{ ...PAIR, secretId: '' }, 'secretId or secretKey is empty.'],
  ])('refuses a wrong pair', async (pair, message) => {
    expect(() => tc3Storage(pair)).toThrow(new TypeError(message));
    await expect(tc3Storage(() => pair)()).rejects.toThrow(message);
  });

  it('shows no secret', () => {
    expect(inspect(tc3Storage(PAIR), { depth: 9, showHidden: true })).not.toContain('a secret');
  });
});
