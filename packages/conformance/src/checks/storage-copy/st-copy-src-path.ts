import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectRefusedWithout } from './expect-refused.ts';

export const stCopySrcPath = defineCheck('ST-COPY-SRC-PATH', needsFiles, (t) =>
  expectRefusedWithout(t, 'srcPath'),
);
