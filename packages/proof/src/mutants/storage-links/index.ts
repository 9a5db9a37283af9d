import type { Mutant } from '../mutant.ts';
import { stLinksAlone } from './st-links-alone.ts';
import { stLinksAloneRest } from './st-links-alone-rest.ts';
import { stLinksCall } from './st-links-call.ts';
import { stLinksCode } from './st-links-code.ts';
import { stLinksCodeMissing } from './st-links-code-missing.ts';
import { stLinksDownload } from './st-links-download.ts';
import { stLinksDownloadCredentials } from './st-links-download-credentials.ts';
import { stLinksExpire } from './st-links-expire.ts';
import { stLinksExpireEarly } from './st-links-expire-early.ts';
import { stLinksFileId } from './st-links-file-id.ts';
import { stLinksItemFileId } from './st-links-item-file-id.ts';
import { stLinksList } from './st-links-list.ts';
import { stLinksListMissing } from './st-links-list-missing.ts';
import { stLinksMaxAge } from './st-links-max-age.ts';
import { stLinksMissing } from './st-links-missing.ts';
import { stLinksUrl } from './st-links-url.ts';

export const storageLinks: readonly Mutant[] = [
  stLinksCall,
  stLinksItemFileId,
  stLinksMaxAge,
  stLinksList,
  stLinksListMissing,
  stLinksFileId,
  stLinksCode,
  stLinksCodeMissing,
  stLinksUrl,
  stLinksDownload,
  stLinksDownloadCredentials,
  stLinksExpire,
  stLinksExpireEarly,
  stLinksMissing,
  stLinksAlone,
  stLinksAloneRest,
];
