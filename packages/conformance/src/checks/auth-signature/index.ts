import type { Check } from '../check.ts';
import { auTc3Body } from './au-tc3-body.ts';
import { auTc3Form } from './au-tc3-form.ts';
import { auTc3Host } from './au-tc3-host.ts';
import { auTc3Key } from './au-tc3-key.ts';
import { auTc3Method } from './au-tc3-method.ts';
import { auTc3Multipart } from './au-tc3-multipart.ts';
import { auTc3NormalForm } from './au-tc3-normal-form.ts';
import { auTc3Path } from './au-tc3-path.ts';
import { auTc3Query } from './au-tc3-query.ts';
import { auTc3SignedHeaders } from './au-tc3-signed-headers.ts';
import { auTc3Spaces } from './au-tc3-spaces.ts';
import { auTc3Timestamp } from './au-tc3-timestamp.ts';

export const authSignature: readonly Check[] = [
  auTc3Form,
  auTc3Key,
  auTc3Timestamp,
  auTc3Method,
  auTc3Path,
  auTc3Query,
  auTc3Body,
  auTc3SignedHeaders,
  auTc3Host,
  auTc3NormalForm,
  auTc3Multipart,
  auTc3Spaces,
];
