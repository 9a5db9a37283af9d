import type { Trial } from '../../trial/trial.ts';
import type { FormField, Grant } from '../../trial/upload-tool.ts';
import { defineCheck } from '../check.ts';
import { cite } from '../support/cite.ts';
import { needsFiles } from '../support/needs-files.ts';
import { hasErrorElement } from './has-error-element.ts';

export const upError = defineCheck('UP-ERROR', needsFiles, async (t: Trial) => {
  const { securityToken, metaFileId } = t.settings.wireProfile.uploadFields;
  const without = (field: string) => (fields: FormField[]) =>
    fields.filter(([name]) => name !== field);
  const withWrong = (field: string) => (fields: FormField[]) =>
    fields.map(([name, value]) => [name, name === field ? 'wrong' : value] as const);
  const cases = [
    { what: 'no Signature', toForm: without('Signature') },
    { what: 'a wrong Signature', toForm: withWrong('Signature') },
    { what: `no ${securityToken}`, toForm: without(securityToken) },
    { what: `a wrong ${securityToken}`, toForm: withWrong(securityToken) },
    { what: `no ${metaFileId}`, toForm: without(metaFileId) },
    { what: `a wrong ${metaFileId}`, toForm: withWrong(metaFileId) },
    { what: 'no key', toForm: without('key') },
    { what: 'no file', toForm: without('file') },
    { what: 'no field at all', toForm: () => [] },
  ];
  let judged = 0;
  for (const [index, { what, toForm }] of cases.entries()) {
    const given = await t.upload.grant(t.storage.path(`never-${index}.txt`));
    const form = toForm(t.upload.fields(given, Buffer.from('what must not be stored')));
    const reply = await t.upload.post(given, form);
    const { status, text, mediaType } = reply.received;
    const hasError = hasErrorElement(text);
    // A form that is taken is the subject of the rule of its field.
    if (!hasError && status < 400 && (await isTaken(t, given))) continue;
    judged += 1;
    const came = `${status} with ${mediaType ?? 'no type'}: ${cite(text)}`;
    t.expect(hasError, `${what}: the answer must be XML with an Error element, not ${came}`, reply);
  }
  t.reach(judged > 0, 'no bad form is refused');
});

async function isTaken(t: Trial, { fileId }: Grant): Promise<boolean> {
  return (await t.upload.read(fileId)).found;
}
