import type { Check } from '../check.ts';
import { stBadJson } from './st-bad-json.ts';
import { stMissingField } from './st-missing-field.ts';
import { stWrongType } from './st-wrong-type.ts';

export const storageRefusals: readonly Check[] = [stBadJson, stMissingField, stWrongType];
