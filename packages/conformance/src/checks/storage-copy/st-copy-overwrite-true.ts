import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectOverwritten } from './overwriting.ts';

export const stCopyOverwriteTrue = defineCheck('ST-COPY-OVERWRITE-TRUE', needsFiles, (t) =>
  expectOverwritten(t, 'with overwrite true', { overwrite: true }),
);
