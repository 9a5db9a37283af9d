import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { COPY, failure, items, LINKS, leaveOut } from '../mutants/hooks/storage.ts';
import type { Hooks, MutatedResponse } from '../proxy/messages.ts';
import type { Variants } from './combine.ts';

/** Rejects with other statuses; for a copy, the envelope has the status too (D20). */
const refusedWith = (toStatus: (status: number) => number) =>
  failure((json, response, { operation }) => {
    if (response.status === 429) return;
    response.status = toStatus(response.status);
    if (operation === COPY) json.statusCode = response.status;
  });

const responses = (change: (response: MutatedResponse) => void): Hooks => ({
  response(response, { path }) {
    if (path.startsWith('/api/')) change(response);
  },
});

export const storage: Variants = {
  // D30: non-2xx, or a `code` without `data`.
  'rejections have 200 and a code': refusedWith(() => 200),
  // D30: the status is up to the implementation.
  'rejections have other 4xx statuses': refusedWith(
    (status) => ({ 400: 422, 401: 403, 403: 401, 404: 410, 405: 400 })[status] ?? status,
  ),
  // D30: responses are open.
  'responses have additional fields': responses((response) => {
    const { json } = response;
    if (!json?.body) return;
    const { data } = json.body;
    Object.assign(json, { took: 3 }).body.server = { region: null };
    if (data) data.total = 1;
    for (const entry of data?.fileList ?? []) Object.assign(entry, { size: 7, extra: { a: [] } });
    response.json = json;
  }),
  // D30: after its maxAge; the clock may count whole seconds.
  'links work for up to a second longer': items(LINKS, (item) => {
    if (typeof item.maxAge === 'number') item.maxAge += 1;
  }),
  // D24: a deployment accepts at least one of the two forms.
  'a copy path without a leading / fails': leaveOut(COPY, ({ srcPath, dstPath }) =>
    [srcPath, dstPath].some((path) => typeof path === 'string' && !path.startsWith('/'))
      ? { code: 'PATH', message: 'another spelling' }
      : undefined,
  ),
  // D17: beside a permanent key pair, its header is ignored.
  'the session token is ignored': ({ storageHeaders }) => ({
    request({ operation, headers }) {
      const name = profile.storageHeaders.sessionToken;
      if (operation) headers.set(name, storageHeaders()[name] ?? '');
    },
  }),
  // D20: if the wire profile says so.
  'responses are flat': responses((response) => {
    if (response.json?.body) response.json = response.json.body;
  }),
};
