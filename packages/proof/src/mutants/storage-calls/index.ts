import type { Mutant } from '../mutant.ts';
import { stGetRefused } from './st-get-refused.ts';
import { stGetRefusedEmpty } from './st-get-refused-empty.ts';
import { stPath } from './st-path.ts';
import { stPathExact } from './st-path-exact.ts';
import { stPathExactFormat } from './st-path-exact-format.ts';
import { stPost } from './st-post.ts';
import { stRequestForm } from './st-request-form.ts';
import { stRequestFormGenerated } from './st-request-form-generated.ts';
import { stRequestJson } from './st-request-json.ts';
import { stRequestJsonEscapes } from './st-request-json-escapes.ts';
import { stResponseJson } from './st-response-json.ts';
import { stResponseJsonSuccess } from './st-response-json-success.ts';
import { stUnknownFields } from './st-unknown-fields.ts';

export const storageCalls: readonly Mutant[] = [
  stPath,
  stPathExact,
  stPathExactFormat,
  stPost,
  stGetRefused,
  stGetRefusedEmpty,
  stRequestJson,
  stRequestJsonEscapes,
  stResponseJson,
  stResponseJsonSuccess,
  stRequestForm,
  stRequestFormGenerated,
  stUnknownFields,
];
