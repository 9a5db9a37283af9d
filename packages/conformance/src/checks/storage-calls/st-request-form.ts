import { constantFrom } from 'fast-check';
import { REQUEST_FORMS, type RequestForm } from '../../requests/request-form.ts';
import { toForm } from '../../requests/to-form.ts';
import type { StorageReply } from '../../trial/read-reply.ts';
import { STORAGE_OPERATIONS } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { MOST_ITEMS, validRequest } from '../support/arbitraries.ts';
import { forAll } from '../support/for-all.ts';
import { type GoodFields, makeGoodFields } from '../support/good-fields.ts';
import { callGood } from './call-good.ts';

export const stRequestForm = defineCheck('ST-REQUEST-FORM', [], async (t: Trial) => {
  const fields = await makeGoodFields(t);
  const { requestForm } = t.settings;
  const forms = requestForm ? [requestForm] : REQUEST_FORMS;
  const refusals: string[] = [];
  let last: StorageReply | undefined;
  for (const form of forms) {
    const refused = await listRefused(t, form, fields);
    last = refused.at(-1)?.reply ?? last;
    if (refused.length === 0) return sendGenerated(t, form);
    refusals.push(...refused.map(({ what }) => what));
  }
  for (const operation of STORAGE_OPERATIONS) {
    const { fate } = await callGood(t, operation, fields);
    const isThere = fate === 'accepted' || fate === 'refused';
    t.reach(isThere, `${operation} is not there, or takes no POST`);
  }
  const tried = forms.map((form) => `fields ${FORMS[form]}`).join(' or ');
  t.expect(
    false,
    `all four operations must accept ${tried}; refused: ${refusals.join(', ')}`,
    last,
  );
});

/** Which lifetimes a deployment takes is its own (D22). */
const leaveOutMaxAge = (name: string, value: unknown) => (name === 'maxAge' ? undefined : value);

const FORMS: Record<RequestForm, string> = { top: 'at the top level', data: 'inside data' };

async function listRefused(
  t: Trial,
  form: RequestForm,
  fields: GoodFields,
): Promise<{ what: string; reply: StorageReply }[]> {
  const refused: { what: string; reply: StorageReply }[] = [];
  for (const operation of STORAGE_OPERATIONS) {
    const body = JSON.stringify(toForm(fields[operation], form));
    const reply = await t.storage.call(operation, {}, { body, acceptsRefusal: true });
    const what = `${operation} ${FORMS[form]} with ${reply.received.status} ${reply.code ?? ''}`;
    if (reply.refused) refused.push({ what: what.trim(), reply });
  }
  return refused;
}

/** Whatever the schemas allow is accepted, at any place, in any combination. */
async function sendGenerated(t: Trial, form: RequestForm): Promise<void> {
  t.expect(true, `all four operations accept fields ${FORMS[form]}`);
  const fileIds: string[] = [];
  for (let index = 0; index < MOST_ITEMS; index += 1) {
    fileIds.push(await t.upload.fileIdOf(t.storage.path(`missing-${index}.txt`)));
  }
  const requests = constantFrom(...STORAGE_OPERATIONS).chain((operation) =>
    validRequest(t, operation, fileIds).map((request) => ({ operation, request })),
  );
  await forAll(t, requests, async ({ operation, request }, expect) => {
    const body = JSON.stringify(toForm(request, form), leaveOutMaxAge);
    const reply = await t.storage.call(operation, {}, { body, acceptsRefusal: true });
    const { status } = reply.received;
    const what = `${operation} with fields ${FORMS[form]}`;
    expect(!reply.refused, `${what} must be accepted, not refused with ${status}`, reply);
  });
}
