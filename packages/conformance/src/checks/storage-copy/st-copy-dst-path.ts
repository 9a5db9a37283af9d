import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectRefusedWithout } from './expect-refused.ts';

export const stCopyDstPath = defineCheck('ST-COPY-DST-PATH', needsFiles, (t) =>
  expectRefusedWithout(t, 'dstPath'),
);
