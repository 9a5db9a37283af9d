import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectField } from './expect-field.ts';

export const upSignature = defineCheck('UP-SIGNATURE', needsFiles, (t) =>
  expectField(t, 'Signature', ({ authorization }) => authorization),
);
