import { describe, expect, it } from 'vitest';
import { hasFailed } from './copies.ts';

describe('hasFailed', () => {
  it.each([
    { code: 'TAKEN', message: 'There is a file already.' },
    { code: 409 },
    { message: 'There is a file already.' },
  ])('takes %j for a failure', (entry) => {
    expect(hasFailed(entry)).toBe(true);
  });

  it.each([
    {},
    { fileID: 'f' },
    { code: '', message: '' },
    { code: null },
    { code: 'SUCCESS', message: 'ok' },
  ])('takes %j for no failure', (entry) => {
    expect(hasFailed(entry)).toBe(false);
  });
});
