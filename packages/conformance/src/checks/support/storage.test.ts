import { describe, expect, it } from 'vitest';
import { hasFailed, poll } from './storage.ts';

describe('hasFailed', () => {
  it.each([
    { code: 'TAKEN', message: 'There is a file already.' },
    { code: 409 },
    { message: 'There is a file already.' },
  ])('treats %j as a failure', (entry) => {
    expect(hasFailed(entry)).toBe(true);
  });

  it.each([
    {},
    { fileID: 'f' },
    { code: '', message: '' },
    { code: null },
    { code: 'SUCCESS', message: 'ok' },
  ])('does not treat %j as a failure', (entry) => {
    expect(hasFailed(entry)).toBe(false);
  });
});

describe('poll', () => {
  it('repeats the call until the response is as expected', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return asked;
    };
    expect(await poll(ask, (response) => response === 3, { most: 5000, every: 1 })).toBe(3);
  });

  it('gives up in time and returns the last response', async () => {
    const responses = ['first', 'second'];
    const ask = async () => responses.shift() ?? 'last';
    expect(await poll(ask, () => false, { most: 500, every: 5 })).toBe('last');
  });

  it('makes a single call if there is no time', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
    };
    await poll(ask, () => false, { most: 0, every: 1 });
    expect(asked).toBe(1);
  });
});
