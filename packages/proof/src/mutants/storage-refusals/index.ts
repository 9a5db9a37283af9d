import type { Mutant } from '../mutant.ts';
import { stBadJson } from './st-bad-json.ts';
import { stBadJsonDeep } from './st-bad-json-deep.ts';
import { stBadJsonEmpty } from './st-bad-json-empty.ts';
import { stBadJsonGenerated } from './st-bad-json-generated.ts';
import { stMissingField } from './st-missing-field.ts';
import { stMissingFieldFault } from './st-missing-field-fault.ts';
import { stWrongType } from './st-wrong-type.ts';
import { stWrongTypeCode } from './st-wrong-type-code.ts';
import { stWrongTypeDeep } from './st-wrong-type-deep.ts';
import { stWrongTypeGenerated } from './st-wrong-type-generated.ts';
import { stWrongTypeNumber } from './st-wrong-type-number.ts';
import { stWrongTypeSecond } from './st-wrong-type-second.ts';

export const storageRefusals: readonly Mutant[] = [
  stBadJson,
  stBadJsonDeep,
  stBadJsonEmpty,
  stBadJsonGenerated,
  stMissingField,
  stMissingFieldFault,
  stWrongType,
  stWrongTypeNumber,
  stWrongTypeSecond,
  stWrongTypeGenerated,
  stWrongTypeDeep,
  stWrongTypeCode,
];
