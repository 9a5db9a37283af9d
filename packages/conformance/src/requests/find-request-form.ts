import { documents } from '../contract/documents.ts';
import { expandPath } from '../contract/expand-path.ts';
import { listDocumented } from '../contract/list-documented.ts';
import { readFileId } from './read-file-id.ts';
import { REQUEST_FORMS, type RequestForm } from './request-form.ts';
import type { RunContext } from './run-context.ts';
import { toForm } from './to-form.ts';

const { document } = documents.storage;
const OPERATION = 'getUploadMetaData';
const [PATH = ''] = listDocumented(document)
  .filter(({ operationId }) => operationId === OPERATION)
  .map(({ path }) => path);

/**
 * The form that a deployment accepts: 'fields at the top level or nested in `data`; a deployment must
 * accept at least one form' (D21). Each is tried with a call that stores nothing. Where neither is
 * accepted, or no answer comes, it is the top level, and the checks will say what is wrong.
 */
export async function findRequestForm({ settings, mark }: RunContext): Promise<RequestForm> {
  if (settings.requestForm !== undefined) return settings.requestForm;
  const url = settings.storageUrl + expandPath(PATH, { envId: settings.env });
  const fields = { path: `berth-conformance-${mark}/probe.txt` };
  const headers = { ...settings.storageHeaders, 'Content-Type': 'application/json' };
  for (const form of REQUEST_FORMS) {
    const body = JSON.stringify(toForm(fields, form));
    const signal = AbortSignal.timeout(settings.timeout);
    try {
      const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
      const answer = await fetch(url, init);
      if (answer.ok && readFileId(await answer.text()) !== undefined) return form;
    } catch {
      break;
    }
  }
  return 'top';
}
