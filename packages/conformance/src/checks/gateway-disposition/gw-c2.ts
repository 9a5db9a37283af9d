import { defineCheck } from '../check.ts';
import { jsonPost } from '../support/gateway-methods.ts';
import { expectAttachment } from './expect-disposition.ts';
import type { DispositionOrder } from './order-disposition.ts';

const ORDERS: DispositionOrder[] = [
  { type: 'image/png', size: 70_000 },
  { type: 'IMAGE/JPEG' },
  { type: 'application/octet-stream', body: '' },
  { type: 'application/octet-stream', body: '{"a":"looks like JSON"}' },
  { type: 'application/pdf', chunked: true },
  { type: 'application/zip' },
  { type: 'audio/mpeg' },
  { type: 'video/mp4', status: 206 },
  { type: 'font/woff2', status: 404 },
  { type: 'application/octet-stream', status: 500 },
  { type: 'image/png', own: ['attachment; filename="a.png"'] },
  { type: 'image/png', own: ['inline; filename="attachment"'] },
  { type: 'application/octet-stream', own: ['form-data; name="a"'] },
];

export const gwC2 = defineCheck('GW-C2', ['fixture'], async (t) => {
  for (const order of ORDERS) await expectAttachment(t, order, jsonPost);
});
