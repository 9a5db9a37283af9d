import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { orderDisposition } from './order-disposition.ts';

const OWN = [
  ['inline'],
  ['INLINE; filename="a.html"'],
  ['inline; filename="a, attachment; b.html"'],
  ['attachment; filename="a.html"', 'inline'],
  ['inline', 'attachment'],
  [" inline ;filename*=UTF-8''a"],
];
/** Of no text type, so that C2 applies to a POST as C1 does to a GET. */
const TYPES = ['text/html', 'image/png'];

export const gwDispositionInline = defineCheck('GW-DISPOSITION-INLINE', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    for (const own of OWN) {
      for (const type of call.method === 'GET' ? [...TYPES, 'application/json'] : TYPES) {
        const { what, types, came } = await orderDisposition(t, { type, own }, call);
        const message = `${what}: no Content-Disposition may be inline: ${came}`;
        t.expect(!types.includes('inline'), message);
      }
    }
    const order = { type: 'text/html', status: 404, own: ['inline'] };
    const { what, types, came } = await orderDisposition(t, order, call);
    const message = `${what}: no Content-Disposition may be inline: ${came}`;
    t.expect(!types.includes('inline'), message);
  }
});
