// test/basket.test.ts
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';

const mock = 'http://127.0.0.1:4010';

for (const item of ['apple', 'pear']) {
  test(`a basket with one ${item}`, async () => {
    const headers = { authorization: 'Bearer any', 'x-mock-session': randomUUID() };
    const items = `${mock}/v1/cloudrun/basket/items`;

    await fetch(items, { method: 'POST', headers, body: JSON.stringify(item) });
    const response = await fetch(items, { headers });
    expect(await response.json()).toEqual([item]);
  });
}
