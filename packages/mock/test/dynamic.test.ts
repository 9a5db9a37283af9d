import { expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { gateway } from './helpers/calls.ts';

test('dynamic generates what Prism responds with, the same for the same seed', async () => {
  const ask = async (seed: string) => {
    await using mock = await createMock({ dynamic: true, seed });
    const { status, json } = await gateway(mock, { path: '/v1/cloudrun/hello' });
    expect(status).toBe(200);
    return JSON.stringify(json);
  };
  const [one, two, three] = [await ask('a'), await ask('a'), await ask('b')];
  expect(two).toBe(one);
  expect(three).not.toBe(one);
});
