import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectField } from './expect-field.ts';

export const upKey = defineCheck('UP-KEY', needsFiles, (t) =>
  expectField(t, 'key', ({ path }) => path),
);
