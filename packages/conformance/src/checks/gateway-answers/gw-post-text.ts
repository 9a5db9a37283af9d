import { defineCheck } from '../check.ts';
import { jsonPost } from '../support/gateway-methods.ts';
import { expectText } from './expect-text.ts';

export const gwPostText = defineCheck('GW-POST-TEXT', ['fixture'], (t) => expectText(t, jsonPost));
