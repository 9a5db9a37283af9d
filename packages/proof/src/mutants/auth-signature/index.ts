import type { Mutant } from '../mutant.ts';
import { auTc3Body } from './au-tc3-body.ts';
import { auTc3BodyCalled } from './au-tc3-body-called.ts';
import { auTc3BodyEmpty } from './au-tc3-body-empty.ts';
import { auTc3Form } from './au-tc3-form.ts';
import { auTc3FormEmpty } from './au-tc3-form-empty.ts';
import { auTc3Host } from './au-tc3-host.ts';
import { auTc3HostName } from './au-tc3-host-name.ts';
import { auTc3Key } from './au-tc3-key.ts';
import { auTc3KeyScope } from './au-tc3-key-scope.ts';
import { auTc3Method } from './au-tc3-method.ts';
import { auTc3Multipart } from './au-tc3-multipart.ts';
import { auTc3MultipartCut } from './au-tc3-multipart-cut.ts';
import { auTc3NormalForm } from './au-tc3-normal-form.ts';
import { auTc3NormalFormType } from './au-tc3-normal-form-type.ts';
import { auTc3Path } from './au-tc3-path.ts';
import { auTc3PathEscapes } from './au-tc3-path-escapes.ts';
import { auTc3PathSlash } from './au-tc3-path-slash.ts';
import { auTc3Query } from './au-tc3-query.ts';
import { auTc3QueryOrder } from './au-tc3-query-order.ts';
import { auTc3SignedHeaders } from './au-tc3-signed-headers.ts';
import { auTc3SignedHeadersMany } from './au-tc3-signed-headers-many.ts';
import { auTc3SignedHeadersTwice } from './au-tc3-signed-headers-twice.ts';
import { auTc3Spaces } from './au-tc3-spaces.ts';
import { auTc3Timestamp } from './au-tc3-timestamp.ts';

export const authSignature: readonly Mutant[] = [
  auTc3Form,
  auTc3FormEmpty,
  auTc3Key,
  auTc3KeyScope,
  auTc3Timestamp,
  auTc3Method,
  auTc3Path,
  auTc3PathSlash,
  auTc3PathEscapes,
  auTc3Query,
  auTc3QueryOrder,
  auTc3Body,
  auTc3BodyEmpty,
  auTc3BodyCalled,
  auTc3SignedHeaders,
  auTc3SignedHeadersTwice,
  auTc3SignedHeadersMany,
  auTc3Host,
  auTc3HostName,
  auTc3NormalForm,
  auTc3NormalFormType,
  auTc3Multipart,
  auTc3MultipartCut,
  auTc3Spaces,
];
