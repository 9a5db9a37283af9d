import { defineCheck } from '../check.ts';
import { jsonPost } from '../support/gateway-methods.ts';
import { expectNone } from './expect-disposition.ts';

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'Application/JSON',
  'TEXT/PLAIN',
];

export const gwC2Text = defineCheck('GW-C2-TEXT', ['fixture'], async (t) => {
  for (const type of TYPES) {
    await expectNone(t, { type, body: '{}' }, jsonPost);
    await expectNone(t, { type, status: 404, body: '' }, jsonPost);
  }
  const own = { status: 200, body: '{}' };
  await expectNone(t, { ...own, type: 'application/json', own: ['attachment'] }, jsonPost);
  await expectNone(t, { ...own, type: 'text/plain', own: ['inline; filename="a"'] }, jsonPost);
  await expectNone(t, { type: 'text/plain', size: 70_000, chunked: true }, jsonPost);
  await expectNone(t, { type: 'application/json', status: 500, body: '{}' }, jsonPost);
});
