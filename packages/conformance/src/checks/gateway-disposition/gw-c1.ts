import { defineCheck } from '../check.ts';
import { cite } from '../support/cite.ts';
import { expectAttachment } from './expect-disposition.ts';
import { listDispositionTypes } from './list-disposition-types.ts';
import type { DispositionOrder } from './order-disposition.ts';

const ORDERS: DispositionOrder[] = [
  { type: 'application/json', body: '{}' },
  { type: 'application/json; charset=utf-8', body: '{}', chunked: true },
  { type: 'text/plain' },
  { type: 'application/x-www-form-urlencoded', body: 'a=b' },
  { type: 'text/html' },
  { type: 'image/png', size: 70_000 },
  { type: 'application/octet-stream', body: '' },
  { type: 'application/problem+json', status: 404, body: '{}' },
  { type: 'text/plain', status: 500 },
  { type: 'application/json', status: 201, body: '{}' },
  { type: 'text/html', status: 302 },
  { body: 'without a type' },
  { type: 'text/plain', own: ['attachment; filename="a.txt"'] },
  { type: 'application/json', own: ['inline'] },
  { type: 'image/png', own: ['INLINE; filename="a, attachment; b.png"'] },
  { type: 'text/html', own: ['form-data; name="a"'] },
];

export const gwC1 = defineCheck('GW-C1', ['fixture'], async (t) => {
  for (const order of ORDERS) await expectAttachment(t, order, { method: 'GET' });
  // The root of a service has an operation of its own.
  for (const path of ['', '/']) {
    const { received } = await t.gateway.call({ path });
    const values = received.all('content-disposition');
    const isAttachment = listDispositionTypes(values).includes('attachment');
    const came = values.map(cite).join(' and ') || 'none';
    t.expect(isAttachment, `GET "${path}": Content-Disposition must be attachment, not ${came}`);
  }
});
