import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectOverwritten } from './overwriting.ts';

export const stCopyOverwriteDefault = defineCheck('ST-COPY-OVERWRITE-DEFAULT', needsFiles, (t) =>
  expectOverwritten(t, 'without overwrite', {}),
);
