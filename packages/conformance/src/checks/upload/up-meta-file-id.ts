import { defineCheck } from '../check.ts';
import { needsFiles } from '../support/needs-files.ts';
import { expectField } from './expect-field.ts';

export const upMetaFileId = defineCheck('UP-META-FILE-ID', needsFiles, (t) =>
  expectField(t, t.settings.wireProfile.uploadFields.metaFileId, ({ storeFileId }) => storeFileId),
);
