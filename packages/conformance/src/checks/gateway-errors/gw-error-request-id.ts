import { defineCheck } from '../check.ts';
import { expectField } from './expect-field.ts';

export const gwErrorRequestId = defineCheck('GW-ERROR-REQUEST-ID', [], (t) =>
  expectField(t, 'requestId'),
);
