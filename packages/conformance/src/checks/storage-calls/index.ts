import type { Check } from '../check.ts';
import { stGetRefused } from './st-get-refused.ts';
import { stPath } from './st-path.ts';
import { stPathExact } from './st-path-exact.ts';
import { stPost } from './st-post.ts';
import { stRequestForm } from './st-request-form.ts';
import { stRequestJson } from './st-request-json.ts';
import { stResponseJson } from './st-response-json.ts';
import { stUnknownFields } from './st-unknown-fields.ts';

export const storageCalls: readonly Check[] = [
  stPath,
  stPathExact,
  stPost,
  stGetRefused,
  stRequestJson,
  stResponseJson,
  stRequestForm,
  stUnknownFields,
];
