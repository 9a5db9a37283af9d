import type { Check } from '../check.ts';
import { gwEnvHost } from './gw-env-host.ts';
import { gwPathEscapes } from './gw-path-escapes.ts';
import { gwPathOptional } from './gw-path-optional.ts';
import { gwPathSegments } from './gw-path-segments.ts';
import { gwPathShape } from './gw-path-shape.ts';
import { gwPathSlashes } from './gw-path-slashes.ts';
import { gwPathTrailingSlash } from './gw-path-trailing-slash.ts';
import { gwQueryRaw } from './gw-query-raw.ts';

export const gatewayAddress: readonly Check[] = [
  gwEnvHost,
  gwPathShape,
  gwPathOptional,
  gwPathTrailingSlash,
  gwPathSegments,
  gwPathEscapes,
  gwPathSlashes,
  gwQueryRaw,
];
