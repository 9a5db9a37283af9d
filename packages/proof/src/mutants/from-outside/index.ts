import type { Mutant } from '../mutant.ts';
import { hosts, paths, queries } from './addresses.ts';
import { bodies } from './bodies.ts';
import { copiedFiles } from './copied-files.ts';
import { copyPaths } from './copy-paths.ts';
import { copyResponses } from './copy-responses.ts';
import { credentials } from './credentials.ts';
import { deletions } from './deletions.ts';
import { dispositions } from './dispositions.ts';
import { envelopes } from './envelopes.ts';
import { errors } from './errors.ts';
import { links } from './links.ts';
import { requestIds } from './request-ids.ts';
import { requests } from './requests.ts';
import { hops, responseHeaders } from './response-headers.ts';
import { signatures } from './signatures.ts';
import { statuses } from './statuses.ts';
import { storageCalls } from './storage-calls.ts';
import { streams } from './streams.ts';
import { uploadResponses } from './upload-responses.ts';
import { contents, forms, grants } from './uploads.ts';

/**
 * Mutants with faults of real gateways, proxies and object stores. They were written from the rules alone,
 * without reading the checks.
 */
export const fromOutside: readonly Mutant[] = [
  ...hosts,
  ...paths,
  ...queries,
  ...requests,
  ...statuses,
  ...responseHeaders,
  ...hops,
  ...bodies,
  ...dispositions,
  ...errors,
  ...requestIds,
  ...streams,
  ...credentials,
  ...signatures,
  ...storageCalls,
  ...envelopes,
  ...grants,
  ...links,
  ...deletions,
  ...copiedFiles,
  ...copyResponses,
  ...copyPaths,
  ...forms,
  ...contents,
  ...uploadResponses,
];
