import type { Check } from '../check.ts';
import { stLinksAlone } from './st-links-alone.ts';
import { stLinksCall } from './st-links-call.ts';
import { stLinksCode } from './st-links-code.ts';
import { stLinksDownload } from './st-links-download.ts';
import { stLinksExpire } from './st-links-expire.ts';
import { stLinksFileId } from './st-links-file-id.ts';
import { stLinksItemFileId } from './st-links-item-file-id.ts';
import { stLinksList } from './st-links-list.ts';
import { stLinksMaxAge } from './st-links-max-age.ts';
import { stLinksMissing } from './st-links-missing.ts';
import { stLinksUrl } from './st-links-url.ts';

export const storageLinks: readonly Check[] = [
  stLinksCall,
  stLinksItemFileId,
  stLinksMaxAge,
  stLinksList,
  stLinksFileId,
  stLinksCode,
  stLinksUrl,
  stLinksDownload,
  stLinksExpire,
  stLinksMissing,
  stLinksAlone,
];
