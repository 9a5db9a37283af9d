// test/basket.test.ts
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';

const mock = 'http://127.0.0.1:4010';

for (const code of ['SERVICE_TIMEOUT', 'SERVICE_CHARGE_OVERDUE']) {
  test(`a basket that fails with ${code}`, async () => {
    const session = { authorization: 'Bearer dev', 'x-mock-session': randomUUID() };
    await fetch(`${mock}/__mock/faults/failure`, {
      method: 'PUT',
      headers: { ...session, 'content-type': 'application/json' },
      body: JSON.stringify({ match: 'service:basket', code }),
    });

    const response = await fetch(`${mock}/v1/cloudrun/basket/items`, { headers: session });
    expect(await response.json()).toMatchObject({ code });
  });
}
