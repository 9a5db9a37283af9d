import { defineCheck } from '../check.ts';
import { expectField } from './expect-field.ts';

export const gwErrorCode = defineCheck('GW-ERROR-CODE', [], (t) => expectField(t, 'code'));
