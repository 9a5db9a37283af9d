import { describe, expect, it } from 'vitest';
import { poll } from './poll.ts';

describe('poll', () => {
  it('asks until the answer is as wanted', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return asked;
    };
    expect(await poll(ask, (answer) => answer === 3, { most: 5000, every: 1 })).toBe(3);
  });

  it('gives up in time, with the last answer', async () => {
    const answers = ['first', 'second'];
    const ask = async () => answers.shift() ?? 'last';
    expect(await poll(ask, () => false, { most: 20, every: 5 })).toBe('last');
  });

  it('asks once where there is no time', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
    };
    await poll(ask, () => false, { most: 0, every: 1 });
    expect(asked).toBe(1);
  });
});
