import type { Mutant } from '../mutant.ts';
import { gwEnvHost } from './gw-env-host.ts';
import { gwEnvHostPrefix } from './gw-env-host-prefix.ts';
import { gwPathEscapes } from './gw-path-escapes.ts';
import { gwPathEscapesCase } from './gw-path-escapes-case.ts';
import { gwPathEscapesTwice } from './gw-path-escapes-twice.ts';
import { gwPathOptional } from './gw-path-optional.ts';
import { gwPathOptionalPost } from './gw-path-optional-post.ts';
import { gwPathSegments } from './gw-path-segments.ts';
import { gwPathSegmentsParameters } from './gw-path-segments-parameters.ts';
import { gwPathSegmentsPrefix } from './gw-path-segments-prefix.ts';
import { gwPathShape } from './gw-path-shape.ts';
import { gwPathShapeService } from './gw-path-shape-service.ts';
import { gwPathSlashes } from './gw-path-slashes.ts';
import { gwPathTrailingSlash } from './gw-path-trailing-slash.ts';
import { gwQueryRaw } from './gw-query-raw.ts';
import { gwQueryRawSocket } from './gw-query-raw-socket.ts';
import { gwQueryRawSpace } from './gw-query-raw-space.ts';

export const gatewayAddress: readonly Mutant[] = [
  gwEnvHost,
  gwEnvHostPrefix,
  gwPathShape,
  gwPathShapeService,
  gwPathOptional,
  gwPathOptionalPost,
  gwPathTrailingSlash,
  gwPathSegments,
  gwPathSegmentsPrefix,
  gwPathSegmentsParameters,
  gwPathEscapes,
  gwPathEscapesCase,
  gwPathEscapesTwice,
  gwPathSlashes,
  gwQueryRaw,
  gwQueryRawSpace,
  gwQueryRawSocket,
];
