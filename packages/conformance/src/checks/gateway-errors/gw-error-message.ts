import { defineCheck } from '../check.ts';
import { expectField } from './expect-field.ts';

export const gwErrorMessage = defineCheck('GW-ERROR-MESSAGE', [], (t) => expectField(t, 'message'));
