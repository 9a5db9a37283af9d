import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectField } from './expect-field.ts';

export const upToken = defineCheck('UP-TOKEN', needsFiles, (t) =>
  expectField(t, t.settings.wireProfile.uploadFields.securityToken, ({ token }) => token),
);
