import { defineCheck } from '../check.ts';
import { jsonPost } from '../support/gateway-methods.ts';
import { expectAttachment } from './expect-disposition.ts';

/** Textual types, and such as begin or end like a text type. */
const TYPES = [
  'text/html',
  'text/html; charset=utf-8',
  'application/problem+json',
  'application/vnd.api+json; charset=utf-8',
  'text/css',
  'text/csv',
  'text/markdown',
  'text/xml',
  'application/xml',
  'image/svg+xml',
  'application/javascript',
  'text/json',
  'application/json-seq',
  'application/jsonlines',
  'application/x-ndjson',
  'text/plain-not',
  'text/x-plain',
  'text/javascript',
  'multipart/related; type="application/json"',
];

export const gwC2NotText = defineCheck('GW-C2-NOT-TEXT', ['fixture'], async (t) => {
  for (const type of TYPES) await expectAttachment(t, { type }, jsonPost);
});
